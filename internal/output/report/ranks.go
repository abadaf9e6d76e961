package report

import (
	"cmp"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// rankKey is a rank of a program.
type rankKey struct {
	from        string
	rank, world int // world 0: unknown
}

func (r *runningRank) rankID() rankKey {
	id := rankKey{from: r.From, rank: r.Rank.Rank}
	if r.World != nil {
		id.world = *r.World
	}
	return id
}

// updateRanks updates the ranks on a node from its new list of processes. The earlier ranks on its GPUs are gone.
func (a *account) updateRanks(n *nodeAccount, s *sample) {
	for i := range n.gpus {
		n.gpus[i].ranks = nil // not shortened in place: copies share it
	}
	for i := range s.ranks {
		r := &s.ranks[i]
		at := slices.IndexFunc(a.ranks, func(k rankAccount) bool { return k.rankID() == r.rankID() })
		if at < 0 {
			if at = len(a.ranks); at == maxRanks {
				continue
			}
			a.ranks = append(a.ranks, rankAccount{meter: newMeter()})
		}
		k := &a.ranks[at]
		if k.node != n.name || k.key != r.key {
			k.skipNextGap()
		}
		k.runningRank, k.node = *r, n.name
		if g := n.ensureGPU(r.key); g != nil {
			g.ranks = append(g.ranks, at)
		}
	}
}

// sortedRanks returns the ranks in order, with their numbers.
func (a *account) sortedRanks() []Rank {
	var out []Rank
	for i := range a.ranks {
		k := &a.ranks[i]
		r := Rank{Rank: k.Rank.Rank, World: k.World, PID: k.pid, Seen: metric.InSeconds(k.seen), Numbers: k.gpuNumbers()}
		r.Place = a.gpuPlace(k.node, k.key)
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Rank) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Node, b.Node), cmp.Compare(a.PID, b.PID))
	})
	return out
}

// gpuPlace names a GPU by its number, or by its key if it has none.
func (a *account) gpuPlace(node, key string) Place {
	for i := range a.nodes {
		if n := &a.nodes[i]; n.name == node {
			for k := range n.gpus {
				if g := &n.gpus[k]; g.key == key {
					return g.makePlace(node)
				}
			}
		}
	}
	return Place{Node: node, Key: key}
}
