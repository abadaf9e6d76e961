package store

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Of two equal programs the one with the ended rank is named, wherever they run.
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
		w.jobs(-3, cluster.Job{ID: "2_1", Number: "16", Nodes: []string{"a", "b"}})
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
				w.Apply(cluster.Event{At: at(sec), Node: node, Report: &wire.Report{MonoMS: int64(1000 * (sec + 10)),
					Listed: true, GPUs: make([]wire.GPU, 8), Processes: list}})
			}
		}
		p := cluster.Peers{At: at(121)}
		for _, name := range []string{"a", "b"} {
			n := w.nodes[name]
			for i := range n.GPUs {
				p.GPUs = append(p.GPUs, cluster.Peer{GPU: n.paces[i], Node: &n.Node, Own: &n.GPUs[i]})
			}
		}
		gone := p.Gone(&cluster.Job{ID: "2_1"})
		if len(gone) != 1 || gone[0].PID != 112 || gone[0].Node.Name != test.other || gone[0].Rank.Rank != 2 {
			t.Errorf("%s: gone are %+v", test.name, gone)
		}
	}
}
