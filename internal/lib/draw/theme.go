package draw

import (
	"image/color"
	"regexp"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Theme turns a Canvas into lines for a terminal. It is made once and has every escape sequence ready.
type Theme struct {
	ascii  bool
	styles [roleCount][groundCount][3]style
	ground string // the escape sequence of text without a role of its own, and of spaces
	paints bool   // the ground is not the terminal's own
}

// style is the escape sequence before a cell. Equal ids look equal; id 0 is the ground.
type style struct {
	id     uint8
	shows  bool // a space in this style is visible
	escape string
	more   string // what changes the ground into this style
	ink    bool   // the style is a color for the glyph, and nothing else
}

const reset = "\x1b[m"

// class separates the glyphs that a theme may treat differently.
type class uint8

const (
	letter class = iota
	block        // ▁…█ and their like
	shade        // ─: the track of a bar
)

func classOf(r rune) class {
	switch {
	case r == '─':
		return shade
	case r >= '▁' && r <= '▏', r == '░', r == '━', r == '╸':
		return block
	}
	return letter
}

// The names of the themes. Auto, and every theme whose name says nothing about the background, asks the terminal
// whether its background is light.
const (
	Auto         = "auto"
	Dark         = "dark"
	Light        = "light"
	HighContrast = "high-contrast"
	Colorblind   = "colorblind"
	Mono         = "mono"
)

// Themes lists the names.
var Themes = []string{Auto, Dark, Light, HighContrast, Colorblind, Mono}

// AsksTerminal reports whether a theme depends on the background of the terminal.
func AsksTerminal(name string) bool { return name != Dark && name != Light && name != Mono }

// Named returns the theme with that name. light says that the terminal's background is light.
func Named(name string, profile colorprofile.Profile, light, ascii bool) *Theme {
	p := &standard
	switch name {
	case HighContrast:
		p = &sharp
	case Colorblind:
		p = &colorblind
	case Mono:
		profile = min(profile, colorprofile.ASCII)
	case Dark, Light:
		light = name == Light
	}
	return newTheme(p, profile, light, ascii)
}

// ForScreen returns the theme with that name for a whole screen. Dark and light paint the screen: whoever chooses one
// can read it on a terminal of the other kind, too.
func ForScreen(name string, profile colorprofile.Profile, light, ascii bool) *Theme {
	t := Named(name, profile, light, ascii)
	if name != Dark && name != Light || profile < colorprofile.ANSI {
		return t
	}
	looks := newLooks(&standard, profile, name == Light)
	looks.paper = newPaper(profile, name == Light)
	t.compose(looks)
	return t
}

// NewTheme returns the Theme for a terminal. Below Ascii there is no escape sequence at all; Ascii, the profile of
// NO_COLOR, keeps bold, dim and reverse. ascii asks for ASCII glyphs only.
func NewTheme(profile colorprofile.Profile, light, ascii bool) *Theme {
	return newTheme(&standard, profile, light, ascii)
}

func newTheme(p *palette, profile colorprofile.Profile, light, ascii bool) *Theme {
	looks := newLooks(p, profile, light)
	t := &Theme{ascii: ascii, ground: reset}
	if profile >= colorprofile.ASCII {
		t.compose(looks)
	}
	return t
}

// compose makes the escape sequences of all cells.
func (t *Theme) compose(looks *roleStyles) {
	if looks.paper != nil {
		t.ground, t.paints = looks.paper.composeStyle(lipgloss.NewStyle()).escape, true
	}
	ids, composed := map[string]uint8{t.ground: 0}, map[look]style{}
	for r := range roleCount {
		for cl := letter; cl <= shade; cl++ {
			for on := plain; on < groundCount; on++ {
				s := looks.styleOf(r, cl, on)
				st, known := composed[lookOf(s)]
				if !known {
					st = looks.paper.composeStyle(s)
					if _, known := ids[st.escape]; !known {
						ids[st.escape] = uint8(len(ids))
					}
					st.id = ids[st.escape]
					composed[lookOf(s)] = st
				}
				t.styles[r][on][cl] = st
			}
		}
	}
}

// look has all that a palette sets. Most cells look like others, and a call of Lip Gloss costs microseconds.
type look struct {
	ink, background      color.Color
	bold, faint, reverse bool
}

func lookOf(s lipgloss.Style) look {
	return look{s.GetForeground(), s.GetBackground(), s.GetBold(), s.GetFaint(), s.GetReverse()}
}

// onlyInk matches the parameters of a foreground color alone.
var onlyInk = regexp.MustCompile(`^(38;2;\d+;\d+;\d+|38;5;\d+|3[0-7]|9[0-7])m$`)

// composeStyle takes the sequence before a text from Lip Gloss. Calling Lip Gloss for every cell would cost
// milliseconds per frame.
func (p *paper) composeStyle(s lipgloss.Style) style {
	out := style{shows: s.GetBackground() != none || s.GetReverse(), escape: reset}
	if out.more = before(s); out.more != "" {
		out.ink = onlyInk.MatchString(strings.TrimPrefix(out.more, "\x1b["))
	}
	whole := out.more
	if p != nil {
		whole = before(p.under(s))
	}
	if whole != "" {
		out.escape = "\x1b[0;" + strings.TrimPrefix(whole, "\x1b[") // 0: the style before ends here
	}
	return out
}

// before returns the escape sequence before a text in a style; "": there is none.
func before(s lipgloss.Style) string {
	sequence, _, _ := strings.Cut(s.Render("x"), "x")
	return sequence
}

// cellWriter writes cells and remembers the style in force, so that it writes a style only where it changes.
type cellWriter struct {
	t   *Theme
	dst []byte
	now *style

	brief bool // transitions are as short as possible
	w     int  // width of the canvas
	x, y  int  // position of the cursor; x -1: unknown
}

var plainStyle style

func (p *cellWriter) setStyle(st *style) {
	switch {
	case st.id == p.now.id:
	case p.brief && st.id != 0 && (p.now.id == 0 || p.now.ink && st.ink):
		p.dst = append(p.dst, st.more...)
	default:
		p.dst = append(p.dst, st.escape...)
	}
	p.now = st
}

// prepareBlank prepares to write an invisible space: the current style may stay unless it would be visible on a space
// (background, reverse).
func (p *cellWriter) prepareBlank() {
	if p.now.shows {
		p.resetStyle()
	}
}

func (p *cellWriter) resetStyle() {
	if p.now.id != 0 {
		p.dst = append(p.dst, p.t.ground...)
	}
	p.now = &plainStyle
}

func (t *Theme) styleOf(c *cell) *style { return &t.styles[c.role][c.on][classOf(c.glyph)] }

// isBlank reports whether the cell is an invisible space.
func (t *Theme) isBlank(c *cell) bool { return c.glyph == ' ' && !t.styleOf(c).shows }

// writeCell writes one cell. It returns false after a glyph whose width differs between terminals: the position of the
// cursor is then uncertain.
func (p *cellWriter) writeCell(c *cell) (sure bool) {
	st := p.t.styleOf(c)
	if c.glyph == ' ' && !st.shows {
		p.prepareBlank()
		p.dst = append(p.dst, ' ')
		return true
	}
	p.setStyle(st)
	p.dst, sure = p.t.appendGlyph(p.dst, c.glyph, c.role)
	return sure
}

func (t *Theme) appendGlyph(dst []byte, r rune, role Role) (_ []byte, sure bool) {
	switch {
	case r < utf8.RuneSelf:
		return append(dst, byte(r)), true
	case t.ascii:
		dst = append(dst, byte(toASCII(r, role)))
		if _, w := drawnGlyph(r); w == 2 {
			dst = append(dst, '?')
		}
		return dst, true
	}
	return utf8.AppendRune(dst, r), isOwnGlyph(r)
}
