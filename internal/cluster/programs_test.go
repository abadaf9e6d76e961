package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// lived is a rank of a program of four, from one second to another.
func lived(l launch, rank int, began, seen float64) *SeenRank {
	return &SeenRank{Rank: wire.Rank{Rank: rank, World: new(4), From: "RANK"}, Began: at(began), Seen: at(seen),
		launch: l}
}

// four are all ranks of a launch.
func four(l launch, began, seen float64) []*SeenRank {
	return []*SeenRank{lived(l, 0, began, seen), lived(l, 1, began, seen), lived(l, 2, began, seen),
		lived(l, 3, began, seen)}
}

func TestPrograms(t *testing.T) {
	a, b := launch{named: "a"}, launch{named: "b"}
	first, second := launch{node: "n1", parent: 10}, launch{node: "n1", parent: 20}
	there := launch{node: "n2", parent: 10}
	for _, test := range []struct {
		name  string
		ranks []*SeenRank
		want  string // the number of the program of each rank
	}{
		{"one", four(a, 0, 60), "0 0 0 0"},
		{"two with names", slices.Concat(four(a, 0, 60), four(b, 1, 60)), "0 0 0 0 1 1 1 1"},
		{"in the order in which they began", slices.Concat(four(a, 1, 60), four(b, 0, 60)), "1 1 1 1 0 0 0 0"},
		{"two launchers on a node", slices.Concat(four(first, 0, 60), four(second, 1, 60)), "0 0 0 0 1 1 1 1"},
		{"one of each has ended", slices.Concat(four(first, 0, 60)[:3], []*SeenRank{lived(first, 3, 0, 30)},
			four(second, 1, 60)[1:], []*SeenRank{lived(second, 0, 1, 30)}), "0 0 0 0 1 1 1 1"},
		{"one over two nodes, each with a launcher", []*SeenRank{lived(first, 0, 0, 60), lived(first, 1, 0, 60),
			lived(there, 2, 2, 60), lived(there, 3, 2, 60)}, "0 0 0 0"},
		{"a shell around each rank", []*SeenRank{lived(first, 0, 0, 60), lived(second, 1, 0, 60),
			lived(there, 2, 0, 60)}, "0 0 0"},
		{"started again by another launcher", slices.Concat(four(first, 0, 30), four(second, 31, 60)),
			"0 0 0 0 0 0 0 0"},
		{"one node has, the list of the other is older", []*SeenRank{lived(a, 0, 0, 30), lived(a, 1, 0, 30),
			lived(a, 2, 0, 50), lived(a, 3, 0, 50), lived(b, 0, 31, 60), lived(b, 1, 31, 60)}, "0 0 0 0 0 0"},
		{"the second of two was started again", slices.Concat(four(a, 0, 60), four(first, 1, 30), four(second, 31, 60)),
			"0 0 0 0 1 1 1 1 1 1 1 1"},
		{"nothing is known of either", slices.Concat(four(launch{}, 0, 60), four(launch{}, 1, 60)), "0 0 0 0 0 0 0 0"},
	} {
		p := NewPrograms(slices.Values(test.ranks))
		var got []string
		for _, r := range test.ranks {
			got = append(got, fmt.Sprint(p.Of(r).Nth))
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// Of two equal programs the one whose rank has ended is told, wherever they run.
func TestGoneOfTwoPrograms(t *testing.T) {
	for _, test := range []struct {
		name  string
		of    func(p *wire.Process, program int)
		other string // the node of the second program
	}{
		{"names, one node", func(p *wire.Process, program int) { p.Rank.Program = []string{"aa", "bb"}[program] }, "a"},
		{"launchers, one node", func(p *wire.Process, program int) { p.Parent = 10 + program }, "a"},
		{"launchers, two nodes", func(p *wire.Process, _ int) { p.Parent = 10 }, "b"},
	} {
		w := newWorld()
		w.jobs(-3, Job{ID: "2_1", Number: "16", Nodes: []string{"a", "b"}})
		for _, node := range []string{"a", "b"} {
			w.try(-2, node)
			w.hello(-1, node, 8)
		}
		for sec := 0.0; sec <= 120; sec += 60 {
			lists := map[string][]wire.Process{}
			for program, node := range []string{"a", test.other} {
				for rank := range 4 {
					p := ranked(100+10*program+rank, rank, 4*program+rank)
					if test.of(&p, program); sec == 0 || program != 1 || rank != 2 {
						lists[node] = append(lists[node], p)
					}
				}
			}
			for node, list := range lists {
				w.Apply(Event{At: at(sec), Node: node, Report: &wire.Report{MonoMS: int64(1000 * (sec + 10)),
					Listed: true, GPUs: make([]wire.GPU, 8), Processes: list}})
			}
		}
		p := Peers{At: at(121)}
		for _, name := range []string{"a", "b"} {
			n := w.nodes[name]
			for i := range n.GPUs {
				p.GPUs = append(p.GPUs, Peer{n.paces[i], &n.Node, &n.GPUs[i]})
			}
		}
		gone := p.Gone(&Job{ID: "2_1"})
		if len(gone) != 1 || gone[0].PID != 112 || gone[0].Node.Name != test.other || gone[0].Rank.Rank != 2 {
			t.Errorf("%s: gone are %+v", test.name, gone)
		}
	}
}
