package ui

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

var plainTheme = draw.NewTheme(colorprofile.NoTTY, false, false)

// oddFixture has names that no SLURM administrator should allow.
func oddFixture() *cluster.Snapshot {
	s := fixture()
	job := &s.Jobs[0]
	job.Name, job.User = "模型-训练-👩‍👩‍👧-e\u0301te\u0301-of-a-very-long-name", "alice👍🏽"
	long := strings.Repeat("gpu-rack", 12) + "模型01"
	for i, name := range job.Nodes {
		odd := long + string(rune('a'+i))
		s.Nodes[odd] = s.Nodes[name]
		s.Nodes[odd].Name = odd
		job.Nodes[i] = odd
		for k := range job.Findings {
			if job.Findings[k].Node == name {
				job.Findings[k].Node = odd
			}
		}
	}
	n := s.Nodes[job.Nodes[0]]
	n.GPUs[0].Card.Name = "NVIDIA 模型模型模型模型模型模型"
	for i := range n.Processes {
		n.Processes[i].User, n.Processes[i].Command = "训练训练训练", strings.Repeat("模型 ", 200)
	}
	return s
}

// wideFixture is a node with 16 GPUs.
func wideFixture() *cluster.Snapshot {
	s := fixture()
	n := s.Nodes["gpu-n01"]
	for i := range 8 {
		g := n.GPUs[i]
		g.Number, g.Index, g.Card.Index = 8+g.Number, 8+g.Index, 8+g.Index
		n.GPUs = append(n.GPUs, g)
	}
	return s
}

// bareFixture is a node of which the driver tells nothing.
func bareFixture() *cluster.Snapshot {
	s := fixture()
	n := s.Nodes["gpu-n01"]
	n.Host, n.Hello = wire.Host{}, nil
	for i := range n.GPUs {
		forget(&n.GPUs[i], "")
		setUtil(&n.GPUs[i], nil)
	}
	n.Processes = []wire.Process{{PID: 1}}
	return s
}

func allShots() []shot {
	return append(slices.Clone(shots),
		shot{"odd", oddFixture, func(v *view) { v.processes = true }},
		shot{"odd-overview", oddFixture, func(v *view) { v.screen = screenOverview }},
		shot{"odd-map", oddFixture, func(v *view) { v.screen = screenOverview; v.grid = gridMap }},
		shot{"wide", wideFixture, func(*view) {}},
		shot{"wide-overview", wideFixture, func(v *view) { v.screen = screenOverview }},
		shot{"bare", bareFixture, func(v *view) { v.processes = true }},
		shot{"bare-overview", bareFixture, func(v *view) { v.screen = screenOverview }},
		shot{"rows", bigFixture, func(v *view) { v.screen = screenOverview; v.grid = gridRows; v.choose("gpu-n050", 49) }},
		shot{"mine", fixture, func(v *view) { v.job = "48377"; v.mine = true }},
		shot{"nothing", func() *cluster.Snapshot { return &cluster.Snapshot{} }, func(*view) {}},
	)
}

// Whatever the size: no panic, the exact height, no line wider than the terminal, and nothing but rules in its last column.
func TestSweep(t *testing.T) {
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

var layouts = map[string]struct {
	of      func(int) layout
	columns []column
}{
	"node":      {nodeLayout, nodeColumns},
	"processes": {processLayout, processColumns},
	"overview":  {overviewLayout, overviewColumns},
}

// Columns come in by priority and never leave again as the terminal gets wider; they stay apart and within the usable width.
func TestLayouts(t *testing.T) {
	for name, l := range layouts {
		had := map[col]bool{}
		for w := 1; w <= 300; w++ {
			at := l.of(w)
			have := map[col]bool{}
			x := 0
			for _, c := range l.columns {
				s := at[c.key]
				if !s.in() {
					continue
				}
				have[c.key] = true
				if s.x < x || s.x+s.w > w-1 {
					t.Errorf("%s at %d: column %d spans %d…%d, behind %d", name, w, c.key, s.x, s.x+s.w, x)
				}
				x = s.x + s.w + 1
			}
			for k := range had {
				if !have[k] && (name != "overview" || w != overviewNumbers) {
					t.Errorf("%s: column %d leaves at %d", name, k, w)
				}
			}
			had = have
		}
		if len(had) != len(l.columns) {
			t.Errorf("%s: at 300 columns only %v are there", name, slices.Collect(maps.Keys(had)))
		}
	}
}

// The widths at which columns come in are promised to users.
func TestColumnsComeInAt(t *testing.T) {
	for _, test := range []struct {
		layout string
		key    col
		width  int
	}{
		{"node", colUtil, 11}, {"node", colFlags, 24}, {"node", colTemp, 31}, {"node", colUsed, 45}, {"node", colPower, 57}, {"node", colUtilBar, 67},
		{"node", colMemBar, 77}, {"node", colHistory, 89}, {"node", colClock, 100}, {"node", colName, 116},
		{"processes", colPID, 15}, {"processes", colCommand, 31}, {"processes", colUser, 41}, {"processes", colGPUMem, 51}, {"processes", colSM, 57},
		{"overview", colCells, 24}, {"overview", colHealth, 40}, {"overview", colAverage, 46}, {"overview", colHottest, 53}, {"overview", colPower, 77}, {"overview", colUsed, 91},
	} {
		l := layouts[test.layout]
		if !l.of(test.width)[test.key].in() || l.of(test.width - 1)[test.key].in() {
			first := 0
			for w := 300; w > 0 && l.of(w)[test.key].in(); w-- {
				first = w
			}
			t.Errorf("%s: column %d comes in at %d, not at %d", test.layout, test.key, first, test.width)
		}
	}
	if at := nodeLayout(80); at[colUtilBar].w != 9 || at[colFlags].w != 12 {
		t.Errorf("at 80 the bars are %d and the flags %d wide, want 9 and 12", at[colUtilBar].w, at[colFlags].w)
	}
}

// Numbers stay in their columns: two clusters with other values have the same blanks between the columns.
func TestPositionsDoNotDependOnValues(t *testing.T) {
	small, large := fixture(), fixture()
	for _, n := range []*cluster.Node{small.Nodes["gpu-n02"], large.Nodes["gpu-n02"]} {
		for i := range n.GPUs {
			g := &n.GPUs[i]
			if n == small.Nodes["gpu-n02"] {
				set(&g.GPU, values{"util": 0, "used": 0, "power": 0, "temp": 0, "sm": 0, "bandwidth": 0})
			} else {
				set(&g.GPU, values{"util": 100, "used": value(&g.GPU, "total"), "power": 1000, "temp": 100, "bandwidth": 100, "limit": 1200})
			}
		}
	}
	for w := 20; w <= 250; w++ {
		l := nodeLayout(w)
		for _, s := range []*cluster.Snapshot{small, large} {
			v := newView(false)
			v.settle(s)
			v.choose("gpu-n02", 1)
			c := draw.New(w, 40)
			render(c, scene{snap: s, view: v}, &scratch{})
			for y, line := range strings.Split(string(plainTheme.Encode(nil, c)), "\n")[6:14] {
				runes := []rune(line)
				for _, column := range nodeColumns {
					x := l[column.key].x - 1
					if l[column.key].in() && column.gap > 0 && x < len(runes) && runes[x] != ' ' {
						t.Fatalf("at %d columns GPU %d has no blank before column %d: %q", w, y, column.key, line)
					}
				}
			}
		}
	}
}

// Every glyph that a screen uses must be one of the list, as each of those is one column wide in every terminal.
func TestGlyphsAreListed(t *testing.T) {
	for _, s := range shots {
		for _, r := range string(plainTheme.Encode(nil, s.take(200, 50))) {
			if r != '\n' && (r < ' ' || r > '~') && (r < 0x2800 || r > 0x28ff) && !strings.ContainsRune(draw.Glyphs, r) {
				t.Errorf("%s uses %q", s.name, r)
			}
		}
	}
}

// All ways to show a frame show the same frame.
func TestThemesShowTheSame(t *testing.T) {
	for _, s := range shots {
		c := s.take(120, 40)
		want := strings.ReplaceAll(string(plainTheme.Encode(nil, c)), "░", " ")
		for _, p := range []colorprofile.Profile{colorprofile.ASCII, colorprofile.ANSI, colorprofile.ANSI256, colorprofile.TrueColor} {
			for _, light := range []bool{false, true} {
				got := ansi.Strip(string(draw.NewTheme(p, light, false).Encode(nil, c)))
				if trim(strings.ReplaceAll(got, "░", " ")) != trim(want) {
					t.Errorf("%s in %v, light %v, shows\n%s\nwant\n%s", s.name, p, light, got, want)
				}
			}
		}
		ascii := strings.Split(string(draw.NewTheme(colorprofile.NoTTY, false, true).Encode(nil, c)), "\n")
		for y, line := range strings.Split(string(plainTheme.Encode(nil, c)), "\n") {
			for x, r := range []rune(line) {
				a := byte(' ')
				if x < len(ascii[y]) {
					a = ascii[y][x]
				}
				if r <= '~' && byte(r) != a {
					t.Fatalf("%s: ASCII has %q for %q at column %d of %q", s.name, a, r, x, line)
				}
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
