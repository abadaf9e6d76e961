package cli

import (
	"maps"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Narrow returns a Snapshot without the processes that were not chosen.
func (c *Selection) Narrow(s *cluster.Snapshot) *cluster.Snapshot {
	if c.Processes == nil {
		return s
	}
	narrow := *s
	narrow.Nodes = maps.Clone(s.Nodes)
	for name, n := range s.Nodes {
		own := *n
		own.Processes = c.chosenProcesses(s, n)
		if n.Past != nil {
			past := *n.Past
			past.Processes = c.chosenProcesses(s, n.AsSeen())
			own.Past = &past
		}
		narrow.Nodes[name] = &own
	}
	return &narrow
}

// chosenProcesses returns the chosen processes of a node, in their order.
func (c *Selection) chosenProcesses(s *cluster.Snapshot, n *cluster.Node) []wire.Process {
	list, _ := tally.Processes(&cluster.JobView{}, n)
	var r rows.Process
	chosen := map[*wire.Process]bool{}
	for _, p := range filter.Keep(c.Processes, &rows.Processes, list,
		func(p *tally.Process) *rows.Process { return r.Set(s, n, p) }) {
		chosen[p.Process] = true
	}
	var kept []wire.Process
	for i := range n.Processes {
		if chosen[&n.Processes[i]] {
			kept = append(kept, n.Processes[i])
		}
	}
	return slices.Clip(kept)
}
