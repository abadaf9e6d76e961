package overview

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// under is mapOf with so many nodes under each switch; none are under the last ones.
func under(leaf, bare int, s *part.Scene) *part.Scene {
	for i, name := range s.Job.Nodes[:len(s.Job.Nodes)-bare] {
		if i%leaf == 0 {
			s.Snap.Discovery.Switches = append(s.Snap.Discovery.Switches,
				cluster.Switch{Name: fmt.Sprintf("leaf%d", i/leaf+1)})
		}
		s.Snap.Nodes[name].Switch = fmt.Sprintf("leaf%d", i/leaf+1)
	}
	return s
}

// clusters are numbers of nodes, of nodes under a switch, and of nodes under none.
var clusters = [][3]int{{1000, 32, 0}, {1000, 32, 9}, {1000, 18, 0}, {990, 30, 0}, {1000, 500, 0}, {300, 7, 30},
	{300, 100, 0}, {130, 64, 1}}

// eachStrips calls f with each arrangement in strips that there is of these clusters.
func eachStrips(t *testing.T, f func(name string, s *part.Scene, tiles *tiles)) {
	t.Helper()
	found := 0
	for _, c := range clusters {
		s := under(c[1], c[2], mapOf(c[0], 80, 24))
		for _, size := range mapSizes {
			s.W, s.H = size[0], size[1]
			if tiles := newTiles(s, 0); tiles.style == tileStrips {
				found++
				f(fmt.Sprintf("%v nodes at %d×%d", c, size[0], size[1]), s, tiles)
			}
		}
	}
	if found < 3*len(clusters) {
		t.Errorf("only %d arrangements are in strips", found)
	}
}

// Each node has its place, those under one switch beside each other, with nothing outside and room for the reasons.
func TestStrips(t *testing.T) {
	eachStrips(t, func(name string, s *part.Scene, tiles *tiles) {
		checkPage(t, name, s, tiles)
		if seen := slices.Sorted(slices.Values(tiles.nodes)); !slices.Equal(seen, s.Order) {
			t.Errorf("%s: %d nodes are there", name, len(seen))
		}
		st := tiles.strips
		if content := st.tailAt + [...]int{0, tailMeanWide, tailMeanWide + 1 + st.count}[st.tail]; content >= st.wide ||
			(st.across-1)*st.wide+content > s.W-2 {
			t.Errorf("%s: a line of %d columns in room for %d, %d of these in %d", name, content, st.wide, st.across,
				s.W)
		}
		for _, line := range st.lines {
			for _, node := range tiles.nodes[line.from:line.to] {
				if got := s.NodeOf(node).Switch; got != st.groups[line.group].name {
					t.Fatalf("%s: %s of %q is in the strip of %q", name, node, got, st.groups[line.group].name)
				}
			}
		}
	})
}

// A thousand nodes under switches of 32 are one page from 80×24 on, and a bigger terminal has no fewer cells for each.
func TestThousandNodesInStrips(t *testing.T) {
	before := 0
	s := under(32, 0, mapOf(1000, 80, 24))
	for _, size := range mapSizes[1:] {
		s.W, s.H = size[0], size[1]
		tiles := newTiles(s, 0)
		if size[0] < 300 && tiles.style != tileStrips || tiles.style > tileStrips || len(tiles.pages) != 1 {
			t.Fatalf("%v: style %d, %d pages", size, tiles.style, len(tiles.pages))
		}
		if tiles.strips != nil && tiles.wide < before {
			t.Errorf("%v: %d columns for a node after %d in a smaller terminal", size, tiles.wide, before)
		}
		before = tiles.wide
	}
}

// If SLURM names one switch or none, or strips do not fit, the nodes are arranged as without switches.
func TestNoStrips(t *testing.T) {
	const nodes = 1000
	plain := mapOf(nodes, 80, 24)
	for _, leaf := range []int{1, 2, nodes} {
		s := under(leaf, 0, mapOf(nodes, 80, 24))
		for _, size := range mapSizes {
			s.W, s.H = size[0], size[1]
			plain.W, plain.H = size[0], size[1]
			if got, want := newTiles(s, 0), newTiles(plain, 0); got.style != want.style ||
				!slices.Equal(got.nodes, want.nodes) {
				t.Errorf("%d under a switch, at %v: style %d, without switches %d", leaf, size, got.style, want.style)
			}
		}
	}
}

// Each arrow moves in its direction, and arrows alone lead from the first node to all others.
func TestArrowsReachEveryNodeOfStrips(t *testing.T) {
	eachStrips(t, func(name string, _ *part.Scene, tiles *tiles) {
		st := tiles.strips
		seen, next := map[int]bool{0: true}, []int{0}
		for len(next) > 0 {
			place := next[0]
			next = next[1:]
			x, y := st.at(place)
			for step, right := range map[[2]int]func(toX, toY int) bool{
				{1, 0}: func(toX, _ int) bool { return toX > x }, {-1, 0}: func(toX, toY int) bool {
					return toX < x &&
						toY == y
				},
				{0, 1}:  func(toX, toY int) bool { return toX <= x && toY == y+1 },
				{0, -1}: func(toX, toY int) bool { return toX <= x && toY == y-1 },
			} {
				to := st.beside(place, step[0], step[1])
				if to != place && !right(st.at(to)) {
					t.Fatalf("%s: %v from %s leads to %s", name, step, tiles.nodes[place], tiles.nodes[to])
				}
				if line := st.lineOf(place); to == place && step[0] > 0 && (line/st.rows+1)*st.rows < len(st.lines) {
					t.Fatalf("%s: nothing is to the right of %s", name, tiles.nodes[place])
				}
				if !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		if len(seen) != len(tiles.nodes) {
			t.Errorf("%s: arrows reach %d of %d nodes", name, len(seen), len(tiles.nodes))
		}
		if to := tiles.shiftNode(tiles.nodes[0], -3, -3); to != tiles.nodes[0] {
			t.Errorf("%s: the corner leads to %s", name, to)
		}
	})
}

// The worst groups come first, the others stay in the order of their nodes. Nothing moves before a group is worse or
// better than it was.
func TestGroupsMoveWithTheirRanksOnly(t *testing.T) {
	s := under(32, 0, mapOf(1000, 120, 40))
	order := func() (names []string) {
		s.SetJob(0)
		for _, g := range newTiles(s, 0).strips.groups {
			names = append(names, g.name)
		}
		return names
	}
	want := func(begin ...string) {
		t.Helper()
		wanted := slices.Clone(begin)
		for i := range 32 {
			if name := fmt.Sprintf("leaf%d", i+1); !slices.Contains(begin, name) {
				wanted = append(wanted, name)
			}
		}
		if got := order(); !slices.Equal(got, wanted) {
			t.Errorf("the order is %q, want %q and then the others", got, begin)
		}
	}
	find := func(node int, severity cluster.Severity) {
		job := &s.Snap.Jobs[0]
		job.Findings = append(job.Findings, cluster.Finding{Kind: cluster.KindThermal, Severity: severity,
			Node: job.Nodes[node], GPU: -1})
	}
	want("leaf32", "leaf1", "leaf16")
	find(100, cluster.Note)
	find(200, cluster.Waiting)
	s.Snap.Nodes[s.Job.Nodes[300]].State = cluster.NodeConnecting
	s.Snap.Nodes[s.Job.Nodes[0]].GPUs[0].Number = 7
	want("leaf32", "leaf1", "leaf16")
	find(10, cluster.Warning) // another one in a group that has one
	want("leaf32", "leaf1", "leaf16")
	find(100, cluster.Warning)
	want("leaf32", "leaf1", "leaf4", "leaf16")
	find(500, cluster.Critical)
	want("leaf16", "leaf32", "leaf1", "leaf4")
	s.Snap.Jobs[0].Findings = nil
	want("leaf32") // its last node has failed
}
