package draw

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/colorprofile"
)

// Theme turns a Canvas into lines for a terminal. It is made once and has every escape sequence ready.
type Theme struct {
	ascii  bool
	track  bool // the track of a bar is a background, not a glyph
	styles [roleCount][2][3]style
}

// style is what stands before a cell. Equal ids look equal; id 0 is the terminal's own look.
type style struct {
	id     uint8
	shows  bool // a space in it can be seen
	escape string
}

const reset = "\x1b[m"

// class parts the glyphs that a theme may treat in different ways.
type class uint8

const (
	letter class = iota
	block        // ▁…█ and their like
	shade        // ░: the track of a bar
)

func classOf(r rune) class {
	switch {
	case r == '░':
		return shade
	case r >= '▁' && r <= '▏':
		return block
	}
	return letter
}

// NewTheme returns the Theme for what a terminal can show. Below Ascii there is no escape sequence at all; Ascii, the profile of
// NO_COLOR, keeps bold, dim and reverse. ascii asks for ASCII glyphs only.
func NewTheme(profile colorprofile.Profile, light, ascii bool) *Theme {
	t := &Theme{ascii: ascii}
	ids := map[string]uint8{"": 0}
	p := choose(profile, light)
	t.track = p.track != ""
	if profile < colorprofile.ASCII {
		return t
	}
	for r := range roleCount {
		for sel := range 2 {
			for cl := letter; cl <= shade; cl++ {
				t.styles[r][sel][cl] = p.style(r, cl, sel == 1, ids)
			}
		}
	}
	return t
}

func choose(profile colorprofile.Profile, light bool) *palette {
	pair := [2]*palette{&mono, &mono}
	switch profile {
	case colorprofile.TrueColor:
		pair = [2]*palette{&darkTrue, &lightTrue}
	case colorprofile.ANSI256:
		pair = [2]*palette{&dark256, &light256}
	case colorprofile.ANSI:
		pair = [2]*palette{&dark16, &light16}
	}
	if light {
		return pair[1]
	}
	return pair[0]
}

// style works out one escape sequence.
func (p *palette) style(r Role, cl class, selected bool, ids map[string]uint8) style {
	l := p.looks[r]
	if r.bar() {
		l = p.bar(r, cl)
	}
	if selected {
		l = p.selected(l, cl)
	}
	var codes []string
	for i, code := range []string{"1", "2", "7"} { // bold, faint, reverse
		if l.attrs&(1<<i) != 0 {
			codes = append(codes, code)
		}
	}
	if l.fg != "" {
		codes = append(codes, l.fg)
	}
	if l.bg != "" {
		codes = append(codes, l.bg)
	}
	key := strings.Join(codes, ";")
	id, known := ids[key]
	if !known {
		id = uint8(len(ids))
		ids[key] = id
	}
	s := style{id: id, shows: l.bg != "" || l.attrs&reverse != 0, escape: reset}
	if key != "" {
		s.escape = "\x1b[0;" + key + "m"
	}
	return s
}

// bar is the look of a bar's cell: its ink on its track, or a faint track.
func (p *palette) bar(r Role, cl class) look {
	if p.track == "" && cl == shade {
		return p.looks[Faint]
	}
	l := p.looks[ink[r]]
	if p.track != "" {
		return look{fg: l.fg, bg: p.track}
	}
	l.attrs &= faint
	return l
}

// selected is the look of a cell of the selected row. Block glyphs are not reversed: a bar would show the opposite of its value.
func (p *palette) selected(l look, cl class) look {
	switch {
	case p.selection != "" && l.bg == "":
		l.bg = p.selection
	case p.selection == "" && cl == letter && l.bg == "":
		l.attrs = l.attrs&^faint | reverse
		l.fg = ""
	}
	return l
}

// Encode appends the Canvas to dst: its lines, parted by newlines, without spaces at their ends.
func (t *Theme) Encode(dst []byte, c *Canvas) []byte {
	for y := range c.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		dst = t.line(dst, c.cells[y*c.w:(y+1)*c.w])
	}
	return dst
}

// line appends one line. A space that shows nothing needs no style of its own, so it does not end the one in force.
func (t *Theme) line(dst []byte, row []cell) []byte {
	now := &style{} // in force
	blanks := 0     // spaces not yet written: those at the end of a line never are
	for i := range row {
		c := &row[i]
		if c.glyph == tail {
			continue
		}
		st := &t.styles[c.role][selIndex(c.selected)][classOf(c.glyph)]
		if c.glyph == ' ' && !st.shows {
			if now.shows {
				dst, now = append(dst, reset...), &style{}
			}
			blanks++
			continue
		}
		for ; blanks > 0; blanks-- {
			dst = append(dst, ' ')
		}
		if st.id != now.id {
			dst = append(dst, st.escape...)
		}
		now = st
		dst = t.glyph(dst, c.glyph, c.role)
	}
	if now.id != 0 {
		dst = append(dst, reset...)
	}
	return dst
}

func (t *Theme) glyph(dst []byte, r rune, role Role) []byte {
	switch {
	case r < utf8.RuneSelf:
		return append(dst, byte(r))
	case t.ascii:
		dst = append(dst, byte(toASCII(r, role)))
		if _, w := glyph(r); w == 2 {
			dst = append(dst, '?')
		}
		return dst
	case r == '░' && t.track && role.bar():
		return append(dst, ' ')
	}
	return utf8.AppendRune(dst, r)
}

func selIndex(selected bool) int {
	if selected {
		return 1
	}
	return 0
}
