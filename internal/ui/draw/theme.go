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

// pen writes cells and remembers the style in force, so that it is named only when it changes.
type pen struct {
	t   *Theme
	dst []byte
	now *style
}

var plainStyle style

func (p *pen) use(st *style) {
	if st.id != p.now.id {
		p.dst = append(p.dst, st.escape...)
	}
	p.now = st
}

// blank is for spaces that show nothing: they need no style of their own, only none that shows.
func (p *pen) blank() {
	if p.now.shows {
		p.reset()
	}
}

func (p *pen) reset() {
	if p.now.id != 0 {
		p.dst = append(p.dst, reset...)
	}
	p.now = &plainStyle
}

// style of a cell.
func (t *Theme) style(c *cell) *style {
	selected := 0
	if c.selected {
		selected = 1
	}
	return &t.styles[c.role][selected][classOf(c.glyph)]
}

// empty says that the cell is a space that shows nothing.
func (t *Theme) empty(c *cell) bool { return c.glyph == ' ' && !t.style(c).shows }

// put writes one cell. It returns false for a glyph after which the cursor may not be where we think, as terminals differ on its width.
func (p *pen) put(c *cell) (sure bool) {
	st := p.t.style(c)
	if c.glyph == ' ' && !st.shows {
		p.blank()
		p.dst = append(p.dst, ' ')
		return true
	}
	p.use(st)
	p.dst, sure = p.t.glyph(p.dst, c.glyph, c.role)
	return sure
}

func (t *Theme) glyph(dst []byte, r rune, role Role) (_ []byte, sure bool) {
	switch {
	case r < utf8.RuneSelf:
		return append(dst, byte(r)), true
	case t.ascii:
		dst = append(dst, byte(toASCII(r, role)))
		if _, w := glyph(r); w == 2 {
			dst = append(dst, '?')
		}
		return dst, true
	case r == '░' && t.track && role.bar():
		return append(dst, ' '), true
	}
	return utf8.AppendRune(dst, r), ours(r)
}
