package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/ui/overview"
	"github.com/nvnodetop/nvnodetop/internal/ui/uitest"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

var plainTheme = draw.NewTheme(colorprofile.NoTTY, false, false)

func allShots() []shot {
	return append(slices.Clone(shots),
		shot{name: "odd", snap: uitest.OddFixture, view: func(v *view) { v.node().Processes = node.ShowOn }},
		shot{name: "odd-overview", snap: uitest.OddFixture, view: func(v *view) { v.on = keys.OnOverview }},
		shot{name: "odd-jobs", snap: uitest.OddFixture, view: func(v *view) { v.on = keys.OnJobs }},
		shot{name: "odd-users", snap: uitest.OddFixture, view: func(v *view) { v.on = keys.OnUsers }},
		shot{name: "odd-map", snap: uitest.OddFixture,
			view: func(v *view) { v.on = keys.OnOverview; v.overview().Grid = overview.GridMap }},
		shot{name: "wide", snap: uitest.WideFixture, view: func(*view) {}},
		shot{name: "wide-overview", snap: uitest.WideFixture, view: func(v *view) { v.on = keys.OnOverview }},
		shot{name: "bare", snap: uitest.BareFixture, view: func(v *view) { v.node().Processes = node.ShowOn }},
		shot{name: "bare-gpu", snap: uitest.BareFixture, view: func(v *view) { v.on = keys.OnGPU }},
		shot{name: "odd-gpu", snap: uitest.OddFixture, view: func(v *view) { v.on = keys.OnGPU }},
		shot{name: "wide-gpu", snap: uitest.WideFixture, view: func(v *view) { v.on = keys.OnGPU }},
		shot{name: "gpu-gone", snap: uitest.Fixture,
			view: func(v *view) { v.on = keys.OnGPU; v.gpu().Arrive(nil, nav.Go{Node: "gpu-n01", GPU: "GPU-gone"}) }},
		shot{name: "bare-overview", snap: uitest.BareFixture, view: func(v *view) { v.on = keys.OnOverview }},
		shot{name: "rows", snap: uitest.BigFixture,
			view: func(v *view) {
				v.on = keys.OnOverview
				v.overview().Grid = overview.GridRows
				v.chooseNode("gpu-n050",
					49)
			}},
		shot{name: "mine", snap: uitest.Fixture, view: func(v *view) { v.job = "48377"; v.mine = true }},
		shot{name: "odd-environ", snap: uitest.OddFixture, view: func(*view) {}, typed: "5ejj", told: uitest.Says(uitest.HostileEnviron)},
		shot{name: "odd-metrics", snap: uitest.OddFixture, view: func(*view) {}, typed: "5\r", told: uitest.Says(uitest.DetailsFixture)},
		shot{name: "odd-copy", snap: uitest.OddFixture, view: func(*view) {}, typed: "5y"},
		shot{name: "nothing", snap: func() *cluster.Snapshot { return &cluster.Snapshot{} }, view: func(*view) {}},
	)
}

// Whatever the size: no panic, the exact height, no line wider than the terminal, and nothing but rules in its last
// column.
func TestSweep(t *testing.T) {
	raced.Skip(t)
	heights := []int{1, 2, 3, 4, 6, 9, 10, 12, 15, 20, 24, 29, 30, 40, 50, 100}
	for _, s := range allShots() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			snap := s.snap() // once: making the large one takes longer than drawing it
			s.snap = func() *cluster.Snapshot { return snap }
			for w := 1; w <= 300; w += 1 + w/40 {
				for k := range 4 {
					h := heights[(w*4+k)%len(heights)]
					lines := strings.Split(string(plainTheme.Encode(nil, s.take(w, h))), "\n")
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
			}
		})
	}
}

// Numbers stay in their columns: two clusters with other values have the same ends of columns.
func TestPositionsDoNotDependOnValues(t *testing.T) {
	of := func(v uitest.Values) func() *cluster.Snapshot {
		snap := uitest.Fixture()
		n := snap.Nodes["gpu-n02"]
		for i := range n.GPUs {
			uitest.Set(n.GPUs[i].GPU, v)
			uitest.SetUtil(&n.GPUs[i], nil)
		}
		return func() *cluster.Snapshot { return snap }
	}
	choose := func(v *view) { v.chooseNode("gpu-n02", 1) }
	small := shot{name: "small", snap: of(uitest.Values{"util": 0, "used": 0, "power": 0, "temp": 0, "sm": 0, "bandwidth": 0}),
		view: choose}
	large := shot{name: "large", snap: of(uitest.Values{"util": 100, "used": 81559, "power": 1000, "temp": 100,
		"bandwidth": 100, "limit": 1200}), view: choose}
	for w := 20; w <= 250; w++ {
		a, b := linesOf(small, w, 40), linesOf(large, w, 40)
		for y := 6; y < 14; y++ {
			if !slices.Equal(ends(a[y]), ends(b[y])) {
				t.Fatalf("%d wide: the columns of GPU %d end elsewhere:\n%s\n%s", w, y-6, a[y], b[y])
			}
		}
	}
}

// ends are the columns behind which a line has a blank, or ends.
func ends(line string) []int {
	var at []int
	runes := append([]rune(line), ' ')
	for x := range runes[1:] {
		if runes[x] != ' ' && runes[x+1] == ' ' {
			at = append(at, x)
		}
	}
	return at
}

// Every glyph that a screen uses must be one of the list, as each of those is one column wide in every terminal.
func TestGlyphsAreListed(t *testing.T) {
	raced.Skip(t)
	for _, s := range shots {
		for _, r := range string(plainTheme.Encode(nil, s.take(200, 50))) {
			if r != '\n' && (r < ' ' || r > '~') && (r < 0x2800 || r > 0x28ff) &&
				!strings.ContainsRune(draw.Glyphs, r) {
				t.Errorf("%s uses %q", s.name, r)
			}
		}
	}
}

// All ways to show a frame show the same frame.
func TestThemesShowTheSame(t *testing.T) {
	raced.Skip(t)
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
	for _, s := range shots {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			c := s.take(120, 40)
			want := trim(strings.ReplaceAll(string(plainTheme.Encode(nil, c)), "░", " "))
			for name, theme := range themes {
				got := trim(strings.ReplaceAll(ansi.Strip(string(theme.Encode(nil, c))), "░", " "))
				if got != want {
					t.Errorf("%s shows\n%s\nwant\n%s", name, got, want)
				}
			}
			checkASCII(t, c)
		})
	}
}

// checkASCII compares what ASCII shows with what a theme with all glyphs shows.
func checkASCII(t *testing.T, c *draw.Canvas) {
	ascii := strings.Split(string(asciiTheme.Encode(nil, c)), "\n")
	for y, line := range strings.Split(string(plainTheme.Encode(nil, c)), "\n") {
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

func trim(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
