package overview

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// busy is under with a utilization of every GPU: 97 %, but on some nodes.
func busy(leaf int, s *part.Scene, but map[int]float64) *part.Scene {
	for i, name := range s.Job.Nodes {
		n := s.Snap.Nodes[name]
		util, other := but[i]
		if !other {
			util = 97
		}
		for k := range n.GPUs {
			n.GPUs[k].GPU, n.GPUs[k].Card = &wire.GPU{}, &wire.Card{}
			n.GPUs[k].Values.Set(metric.Util, util)
		}
	}
	return under(leaf, 0, s)
}

// mapLines is the heat map of a scene as plain text.
func mapLines(s *part.Scene) []string {
	f := &part.Frame{Canvas: draw.New(s.W, s.H), Scene: s}
	New(nil).heatMap(f)
	return strings.Split(string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil, f.Canvas)), "\n")
}

// Cells tell without a color which nodes are below and above the median. Nothing of a node is outside of its cells, and
// the cursor hides none of it.
func TestHeatMapIsAboutTheMedian(t *testing.T) {
	s := busy(32, mapOf(1000, 80, 24), map[int]float64{100: 60, 200: 100, 300: 99, 400: 0})
	s.Snap.Jobs[0].Findings = append(s.Snap.Jobs[0].Findings,
		cluster.Finding{Kind: cluster.KindHostMemory, Severity: cluster.Warning, Node: s.Job.Nodes[500], GPU: -1})
	s.SetJob(0)
	want := map[int]rune{100: '↓', 200: '─', 300: '─', 400: '↓', 500: '▲', 999: '✗', 600: '─'}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {160, 60}, {200, 50}} {
		s.W, s.H = size[0], size[1]
		tiles := newTiles(s, 0)
		if tiles.strips == nil {
			t.Fatalf("%v: no strips", size)
		}
		var before []string
		for _, selected := range []int{0, 100, 400, 500, 999} {
			s.SetNode(selected)
			lines := mapLines(s)[3:]
			for i := range lines {
				lines[i] = strings.Replace(lines[i], "▸", " ", 1)
			}
			if text := strings.Join(lines, "\n"); before != nil && text != strings.Join(before, "\n") {
				t.Errorf("%v: with the cursor on node %d the cells are\n%s\nwithout\n%s", size, selected, text,
					strings.Join(before, "\n"))
			}
			before = lines
		}
		for place, name := range tiles.nodes {
			x, y := tiles.tilePosition(place)
			row := []rune(before[y-3] + strings.Repeat(" ", s.W))
			for i, wanted := range want {
				if name == s.Job.Nodes[i] && row[x] != wanted {
					t.Errorf("%v: node %d is %q, want %q", size, i, row[x], wanted)
				}
			}
			if gap := tiles.strips.gap; gap > 0 && row[x+tiles.wide-gap] != ' ' {
				t.Errorf("%v: %q is between %s and the next node", size, row[x+tiles.wide-gap], name)
			}
		}
	}
}

// The legend says what a cell is, the median, and every letter.
func TestHeatMapLegend(t *testing.T) {
	for _, size := range mapSizes[1:] {
		s := busy(32, mapOf(1000, size[0], size[1]), nil)
		text := strings.Join(mapLines(s), "\n")
		for _, want := range []string{"a cell is ", "median", "97%", "X lost/Xid", "I idle"} {
			if !strings.Contains(text, want) {
				t.Errorf("%v: no %q in\n%s", size, want, text)
			}
		}
	}
}

// A GPU far above the median of temperatures is on the amber side, one far below the median of utilization too.
func TestAmberIsTheSideThatMatters(t *testing.T) {
	s := busy(4, mapOf(8, 80, 24), nil)
	for _, test := range []struct {
		level float64
		glyph rune
		role  draw.Role
	}{
		{97, '─', draw.Even}, {93, '─', draw.Even}, {91, '↓', draw.Odd1}, {80, '↓', draw.Odd2}, {10, '↓', draw.Odd3},
		{103, '↑', draw.Fine1},
	} {
		if glyph, role := part.Shade(s.Gauge, test.level, s.Median().Level); glyph != test.glyph || role != test.role {
			t.Errorf("%v %% is %q in role %d", test.level, glyph, role)
		}
	}
}
