package uitest

import (
	"fmt"
	"iter"
	"maps"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

// The themes of golden frames.
var (
	PlainTheme = draw.NewTheme(colorprofile.NoTTY, false, false)
	ASCIITheme = draw.NewTheme(colorprofile.NoTTY, false, true)
	DarkTheme  = draw.NewTheme(colorprofile.TrueColor, false, false)
)

// Picture is a screen that can be drawn in a terminal of any size.
type Picture struct {
	Name string
	Dark bool                                    // the golden frames show its colors, too
	Odd  bool                                    // there is no golden frame
	Take func(w, h int, ascii bool) *draw.Canvas // each time from the beginning

	WithoutLook *Picture // the same without the Look of the shot; nil: it has none
}

var (
	sizes    = [][2]int{{80, 24}, {120, 40}, {200, 50}} // of golden frames
	lowSizes = [][2]int{{60, 15}, {80, 24}, {100, 30}, {120, 40}, {200, 50}}
)

// Frames returns the golden frames by name.
func Frames(pictures []Picture) iter.Seq2[string, string] {
	return func(yield func(name, text string) bool) {
		for i := range pictures {
			for name, text := range pictures[i].frames() {
				if !yield(name, text) {
					return
				}
			}
		}
	}
}

// frames returns the golden frames of a picture by name.
func (p *Picture) frames() iter.Seq2[string, string] {
	return func(yield func(name, text string) bool) {
		for _, size := range sizes {
			if p.Odd {
				return
			}
			w, h := size[0], size[1]
			name := fmt.Sprintf("%s-%dx%d", p.Name, w, h)
			if !yield(name+"-ascii", string(ASCIITheme.Encode(nil, p.Take(w, h, true)))+"\n") {
				return
			}
			if w == 120 && p.Dark && !yield(name+"-dark", string(DarkTheme.Encode(nil, p.Take(w, h, false)))+"\n") {
				return
			}
		}
	}
}

// Golden compares frames with the golden ones in testdata, which has no others. With -update it makes them so.
func Golden(t *testing.T, frames iter.Seq2[string, string]) {
	var made []string
	for name, text := range frames {
		path := "testdata/" + name + ".golden"
		if slices.Contains(made, path) {
			t.Errorf("two frames are named %s: give one of their shots another name", name)
		}
		made = append(made, path)
		t.Run(name, func(t *testing.T) { golden.Equal(t, path, text) })
	}
	golden.Only(t, "testdata/*.golden", made)
}

// Sweep draws pictures in terminals of all sizes. Whatever the size: no panic, the exact height, no line wider than the
// terminal, and nothing but rules in its last column.
func Sweep(t *testing.T, pictures []Picture) {
	before := debug.SetGCPercent(400) // frames are many, and short-lived
	t.Cleanup(func() { debug.SetGCPercent(before) })
	heights := []int{1, 2, 3, 4, 6, 9, 10, 12, 15, 20, 24, 29, 30, 40, 50, 100}
	for _, p := range pictures {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for w := 1; w <= 300; w += 1 + w/40 {
				for k := range 4 {
					h := heights[(w*4+k)%len(heights)]
					checkGeometry(t, p.Take(w, h, false), w, h)
				}
			}
		})
	}
}

func checkGeometry(t *testing.T, c *draw.Canvas, w, h int) {
	lines := strings.Split(string(PlainTheme.Encode(nil, c)), "\n")
	if len(lines) != h {
		t.Fatalf("%d×%d: %d lines", w, h, len(lines))
	}
	for y, line := range lines {
		lw := ansi.StringWidth(line)
		if lw > w {
			t.Errorf("%d×%d: line %d is %d wide: %q", w, h, y, lw, line)
		}
		if lw == w && w >= 20 && !strings.HasSuffix(line, "─") {
			t.Errorf("%d×%d: line %d fills the last column: %q", w, h, y, line)
		}
	}
}

// Check tests what holds for each picture: its glyphs are known, all themes show the same, ASCII names the arrow keys,
// a key leads to the rows that are left out, and its golden frames show its Look.
func Check(t *testing.T, pictures []Picture) {
	themes := allThemes()
	for _, p := range pictures {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			checkMore(t, p)
			if p.Odd {
				return
			}
			checkGlyphs(t, p.Take(200, 50, false))
			checkArrowKeys(t, p)
			checkLook(t, &p)
			c := p.Take(120, 40, false)
			checkThemes(t, c, themes)
			checkASCII(t, c)
		})
	}
}

// checkGlyphs compares with the list of glyphs, as each of those is one column wide in every terminal.
func checkGlyphs(t *testing.T, c *draw.Canvas) {
	for _, r := range string(PlainTheme.Encode(nil, c)) {
		if r != '\n' && (r < ' ' || r > '~') && (r < 0x2800 || r > 0x28ff) && !strings.ContainsRune(draw.Glyphs, r) {
			t.Errorf("%q is not among the glyphs", r)
		}
	}
}

// checkArrowKeys: in ASCII, arrow keys have names. "^v" would be read as Ctrl-V.
func checkArrowKeys(t *testing.T, p Picture) {
	for _, size := range sizes {
		text := string(ASCIITheme.Encode(nil, p.Take(size[0], size[1], true)))
		if strings.Contains(text, "^v") || strings.Contains(text, "<>") || strings.Contains(text, "^ k") {
			t.Errorf("at %v arrow keys are drawn:\n%s", size, text)
		}
	}
}

// checkLook: a golden frame is drawn otherwise without the Look of its shot. Golden frames that are not prove nothing.
func checkLook(t *testing.T, p *Picture) {
	if p.WithoutLook == nil {
		return
	}
	without := maps.Collect(p.WithoutLook.frames())
	for name, text := range p.frames() {
		if without[name] != text {
			return
		}
	}
	t.Errorf("the golden frames of the shot %s are the same without its Look: give it a Snap of test/uitest that the "+
		"Look changes, Dark if it changes colors only, or no Look (pictures_test.go)", p.Name)
}

var moreOf = regexp.MustCompile(`\+\d+ more`)

// checkMore: if a page says that rows are left out, a key leads to them.
func checkMore(t *testing.T, p Picture) {
	for _, size := range lowSizes {
		lines := strings.Split(string(PlainTheme.Encode(nil, p.Take(size[0], size[1], false))), "\n")
		for y, line := range lines {
			inHeader := y <= 1 || y == header.BarRow && size[1] >= part.Tall
			if moreOf.MatchString(line) && !inHeader && !strings.Contains(line, "press 7") && !strings.Contains(line, "PgDn") {
				t.Errorf("at %v no key leads to more: %q", size, line)
			}
		}
	}
}

// allThemes are all ways to show a frame in glyphs.
func allThemes() map[string]*draw.Theme {
	themes := map[string]*draw.Theme{}
	for _, p := range []colorprofile.Profile{colorprofile.ASCII, colorprofile.ANSI, colorprofile.ANSI256,
		colorprofile.TrueColor} {
		for _, light := range []bool{false, true} {
			themes[fmt.Sprintf("%v, light %v", p, light)] = draw.NewTheme(p, light, false)
		}
	}
	for _, name := range draw.Themes {
		themes[name] = draw.Named(name, colorprofile.TrueColor, true, false)
	}
	return themes
}

func checkThemes(t *testing.T, c *draw.Canvas, themes map[string]*draw.Theme) {
	want := trim(strings.ReplaceAll(string(PlainTheme.Encode(nil, c)), "░", " "))
	for name, theme := range themes {
		got := trim(strings.ReplaceAll(ansi.Strip(string(theme.Encode(nil, c))), "░", " "))
		if got != want {
			t.Errorf("%s shows\n%s\nwant\n%s", name, got, want)
		}
	}
}

func trim(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// checkASCII compares what ASCII shows with what a theme with all glyphs shows.
func checkASCII(t *testing.T, c *draw.Canvas) {
	ascii := strings.Split(string(ASCIITheme.Encode(nil, c)), "\n")
	for y, line := range strings.Split(string(PlainTheme.Encode(nil, c)), "\n") {
		for x, r := range []rune(line) {
			a := byte(' ')
			if x < len(ascii[y]) {
				a = ascii[y][x]
			}
			if r <= '~' && byte(r) != a {
				t.Fatalf("ASCII has %q for %q at column %d of %q", a, r, x, line)
			}
		}
	}
}
