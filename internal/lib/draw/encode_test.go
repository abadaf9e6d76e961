package draw

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// allThemes are all ways to show a Canvas.
func allThemes() map[string]*Theme {
	all := map[string]*Theme{}
	for name, p := range map[string]colorprofile.Profile{
		"plain": colorprofile.NoTTY, "mono": colorprofile.ASCII, "16": colorprofile.ANSI, "256": colorprofile.ANSI256,
		"true": colorprofile.TrueColor,
	} {
		all[name] = NewTheme(p, false, false)
		all[name+"-light"] = NewTheme(p, true, false)
		all[name+"-ascii"] = NewTheme(p, false, true)
	}
	return all
}

// scribble puts some of everything at random places.
func scribble(r *rand.Rand, c *Canvas) {
	w, h := c.w, c.h
	for range 1 + r.IntN(12) {
		x, y, role := r.IntN(w), r.IntN(h), Role(r.IntN(int(BarData)))
		switch r.IntN(5) {
		case 0:
			c.Put(x, y, []string{"gpu-n01", "模型-训练", "▲ ✗ ◌", "           ", "e\u0301"}[r.IntN(5)], role)
		case 1:
			c.Bar(x, y, 1+r.IntN(12), r.Float64()*110, BarData+Role(r.IntN(int(roleCount-BarData))))
		case 2:
			c.Fill(x, y, r.IntN(w), []rune("─╌ ░█")[r.IntN(5)], role)
		case 3:
			c.Select(y, x, x+r.IntN(w))
		case 4:
			c.Spark(x, y, 8, []float32{10, 90, nan, 50}, role)
		}
	}
}

// The output of Paint must turn any screen into the one that Encode describes, in every theme.
func TestPaint(t *testing.T) {
	for name, theme := range allThemes() {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			screen := vt.NewEmulator(40, 8)
			var old *Canvas
			for step := range 60 {
				c := New(40, 8)
				if old != nil {
					copy(c.cells, old.cells)
				}
				if step%9 == 8 {
					c.Reset(40, 8)
				}
				scribble(r, c)
				if _, err := screen.Write(theme.Paint(nil, old, c)); err != nil {
					t.Fatal(err)
				}
				fresh := vt.NewEmulator(40, 8)
				if _, err := fresh.Write([]byte(strings.ReplaceAll(string(theme.Encode(nil, c)), "\n",
					"\r\n"))); err != nil {
					t.Fatal(err)
				}
				if x, y := differ(screen, fresh); x >= 0 {
					t.Fatalf("step %d: column %d of row %d is %+v, want %+v", step, x, y, screen.CellAt(x, y),
						fresh.CellAt(x, y))
				}
				old = c
			}
		})
	}
}

// differ is the first cell where two screens do not look the same, -1 when there is none.
func differ(a, b *vt.Emulator) (x, y int) {
	for y := range a.Height() {
		for x := range a.Width() {
			p, q := *a.CellAt(x, y), *b.CellAt(x, y)
			if p.Content == " " && q.Content == " " { // their ink cannot be seen
				p.Style.Fg, q.Style.Fg = nil, nil
				p.Style.Attrs &= uv.AttrReverse
				q.Style.Attrs &= uv.AttrReverse
			}
			if !p.Equal(&q) {
				return x, y
			}
		}
	}
	return -1, -1
}

func TestPaintNothing(t *testing.T) {
	theme := NewTheme(colorprofile.TrueColor, false, false)
	c := New(40, 8)
	scribble(rand.New(rand.NewPCG(3, 4)), c)
	same := New(40, 8)
	copy(same.cells, c.cells)
	if got := theme.Paint(nil, c, same); len(got) != 0 {
		t.Errorf("nothing has changed, and %q is sent", got)
	}
	same.Put(3, 2, "x", Crit)
	if got := theme.Paint(nil, c, same); len(got) > 40 {
		t.Errorf("one cell has changed, and %q is sent", got)
	}
}

// Colour and reverse must not move anything.
func TestThemesAgree(t *testing.T) {
	c := New(60, 12)
	r := rand.New(rand.NewPCG(5, 6))
	for range 5 {
		scribble(r, c)
	}
	tracks := strings.NewReplacer("░", " ")
	want := trimLines(tracks.Replace(drawn(c)))
	for name, theme := range allThemes() {
		got := ansi.Strip(string(theme.Encode(nil, c)))
		if strings.HasSuffix(name, "-ascii") {
			if strings.ContainsFunc(got, func(r rune) bool { return r > '~' }) {
				t.Errorf("%s: not only ASCII: %q", name, got)
			}
			continue
		}
		if got := trimLines(tracks.Replace(got)); got != want {
			t.Errorf("%s shows\n%s\nwant\n%s", name, got, want)
		}
	}
}

func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// No color may be sent where there is none, and no escape at all where there is no terminal.
func TestProfiles(t *testing.T) {
	c := New(60, 12)
	scribble(rand.New(rand.NewPCG(7, 8)), c)
	c.Put(0, 0, "act", CritFill)
	if got := string(NewTheme(colorprofile.NoTTY, false, false).Encode(nil, c)); strings.Contains(got, "\x1b") {
		t.Errorf("an escape sequence without a terminal: %q", got)
	}
	mono := string(NewTheme(colorprofile.ASCII, false, false).Encode(nil, c))
	if !strings.Contains(mono, "\x1b[0;1;7mact") {
		t.Errorf("NO_COLOR has lost bold and reverse: %q", mono)
	}
	if strings.Contains(mono, ";3") || strings.Contains(mono, ";4") {
		t.Errorf("NO_COLOR has a color: %q", mono)
	}
}

// The colors that are chosen by hand for each kind of terminal are what is sent, and not what Lip Gloss would make of
// the true ones.
func TestLooks(t *testing.T) {
	for _, test := range []struct {
		profile  colorprofile.Profile
		light    bool
		role     Role
		selected bool
		want     string
	}{
		{colorprofile.TrueColor, false, Data, false, "0;38;2;106;159;210"}, {colorprofile.TrueColor, true, Data, false,
			"0;38;2;53;104;156"},
		{colorprofile.ANSI256, false, Crit, false, "0;1;38;5;209"},
		{colorprofile.ANSI256, true, Crit, false, "0;1;38;5;124"},
		{colorprofile.ANSI, false, Crit, false, "0;1;91"}, {colorprofile.ANSI, true, Crit, false, "0;1;31"},
		{colorprofile.ASCII, false, Crit, false, "0;1"}, {colorprofile.ASCII, false, Dim, false, "0;2"},
		{colorprofile.ANSI256, false, CritFill, false, "0;1;38;5;231;48;5;160"},
		{colorprofile.ANSI, false, WarnFill, false, "0;30;43"},
		{colorprofile.ANSI256, false, Dim, true, "0;38;5;247;48;5;236"}, {colorprofile.ANSI256, false, CritFill, true,
			"0;1;38;5;231;48;5;160"},
		{colorprofile.ANSI, false, Dim, true, "0;7"}, {colorprofile.ANSI, false, Warn, true, "0;1;7"},
		{colorprofile.ANSI256, false, BarWarn, true, "0;38;5;214;48;5;236"}, {colorprofile.ANSI, false, BarWarn, false,
			"0;33"},
	} {
		c := New(1, 1)
		c.Put(0, 0, "a", test.role)
		if test.selected {
			c.Select(0, 0, 1)
		}
		got := string(NewTheme(test.profile, test.light, false).Encode(nil, c))
		if want := "\x1b[" + test.want + "ma" + reset; got != want {
			t.Errorf("%v, light %v, role %d, selected %v: %q, want %q", test.profile, test.light, test.role,
				test.selected, got, want)
		}
	}
}
