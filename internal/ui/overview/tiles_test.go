package overview

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// mapOf is the scene of a job of so many nodes of 8 GPUs. The last refuses the login; the first, the middle one and the
// one before the last have a GPU in trouble each, as far as there are so many.
func mapOf(nodes, w, h int) *part.Scene {
	s := &cluster.Snapshot{Nodes: map[string]*cluster.Node{}}
	job := cluster.JobView{}
	for i := range nodes {
		name := fmt.Sprintf("gpu-n%04d", i+1)
		n := &cluster.Node{Name: name, State: cluster.NodeReporting}
		for k := range 8 {
			n.GPUs = append(n.GPUs, cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}, Number: k})
		}
		s.Nodes[name] = n
		job.Nodes = append(job.Nodes, name)
	}
	find := func(i int, kind cluster.Kind, severity cluster.Severity) {
		if i >= 0 {
			job.Findings = append(job.Findings, cluster.Finding{Kind: kind, Severity: severity, Node: job.Nodes[i],
				GPU: -1})
		}
	}
	s.Nodes[job.Nodes[nodes-1]].State = cluster.NodeFailed
	find(nodes-1, cluster.KindFailed, cluster.Critical)
	find(nodes-2, cluster.KindThermal, cluster.Warning)
	find(nodes/2-1, cluster.KindECC, cluster.Warning)
	find(min(nodes, 4)-4, cluster.KindThermal, cluster.Warning)
	s.Jobs = []cluster.JobView{job}
	scene := &part.Scene{Snap: s, Size: part.Size{W: w, H: h}, Memory: &part.Memory{}}
	scene.SetJob(0)
	scene.SetNode(0)
	return scene
}

var mapSizes = [][2]int{{60, 15}, {80, 24}, {100, 30}, {120, 40}, {160, 45}, {200, 50}, {300, 80}}

// However many nodes there are and whatever the size, all of them are on the page, or a key leads to the others while
// those in trouble stay; and there is room for the reasons.
func TestTiles(t *testing.T) {
	for _, nodes := range []int{1, 4, 64, 200, 1000} {
		for _, size := range mapSizes {
			name := fmt.Sprintf("%d nodes at %d×%d", nodes, size[0], size[1])
			s := mapOf(nodes, size[0], size[1])
			first := newTiles(s, 0)
			seen := map[string]bool{}
			for page := range len(first.pages) {
				if page > 0 {
					next := newTiles(s, 0).nodeOfPage(+1)
					s.SetNode(slices.Index(s.Job.Nodes, next))
				}
				tiles := newTiles(s, 0)
				if tiles.page != page {
					t.Fatalf("%s: the key leads from page %d to page %d", name, page-1, tiles.page)
				}
				checkPage(t, name, s, tiles)
				for _, node := range tiles.nodes {
					seen[node] = true
				}
			}
			if len(seen) != nodes {
				t.Errorf("%s: %d can be seen", name, len(seen))
			}
			if one := size[0] >= 80 && nodes <= 1000; one && len(first.pages) > 1 {
				t.Errorf("%s: there are %d pages", name, len(first.pages))
			}
		}
	}
}

// checkPage looks at one page: everything is inside, nothing covers anything, those in trouble are there and there is
// room for reasons.
func checkPage(t *testing.T, name string, s *part.Scene, tiles *tiles) {
	t.Helper()
	taken := map[[2]int]string{}
	for i, node := range tiles.nodes {
		x, y := tiles.tilePosition(i)
		if x+tiles.wide > s.W || y < tiles.top || y >= s.H-tiles.below {
			t.Fatalf("%s: %s is at %d, %d", name, node, x, y)
		}
		if other := taken[[2]int{x, y}]; other != "" {
			t.Fatalf("%s: %s covers %s", name, node, other)
		}
		taken[[2]int{x, y}] = node
		if got := tiles.nodeAt(x, y); got != node {
			t.Fatalf("%s: at the place of %s is %q", name, node, got)
		}
	}
	for _, node := range s.Job.Nodes {
		if s.Health.Rank(node) >= int(cluster.Warning) && !slices.Contains(tiles.nodes, node) {
			t.Errorf("%s: %s is in trouble and not on page %d", name, node, tiles.page)
		}
	}
	if free := s.H - 1 - (tiles.top + tiles.usedRows() + 1); free < min(3, len(s.Job.Findings)) {
		t.Errorf("%s: %d rows are left for %d reasons", name, free, len(s.Job.Findings))
	}
}

// A bigger terminal shows no node with less.
func TestBiggerTilesInBiggerTerminals(t *testing.T) {
	for _, nodes := range []int{4, 64, 200, 1000} {
		before := tileDot
		for _, size := range mapSizes {
			style := newTiles(mapOf(nodes, size[0], size[1]), 0).style
			if style > before {
				t.Errorf("%d nodes at %d×%d: style %d after %d in a smaller terminal", nodes, size[0], size[1], style,
					before)
			}
			before = style
		}
	}
}

// Keys move over tiles as they stand, and stop at the edges.
func TestBeside(t *testing.T) {
	for _, nodes := range []int{10, 64, 200, 1000} {
		for _, size := range mapSizes {
			tiles := newTiles(mapOf(nodes, size[0], size[1]), 0)
			place := func(node string) [2]int {
				x, y := tiles.tilePosition(slices.Index(tiles.nodes, node))
				return [2]int{x, y}
			}
			for _, node := range tiles.nodes {
				at := place(node)
				for step, want := range map[[2]int][2]int{
					{1, 0}: {at[0] + tiles.wide, at[1]}, {-1, 0}: {at[0] - tiles.wide, at[1]},
					{0, 1}: {at[0], at[1] + 1}, {0, -1}: {at[0], at[1] - 1},
				} {
					next := tiles.shiftNode(node, step[0], step[1])
					if wanted := tiles.nodeAt(want[0], want[1]); wanted != "" && next != wanted || wanted == "" &&
						step[0] <= 0 && next != node {
						t.Fatalf("%d nodes at %v: %v from %s at %v leads to %s, want %q", nodes, size, step, node, at,
							next, wanted)
					}
				}
			}
		}
	}
}
