package tally

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// unlistedGPU is a GPU whose processes its node does not list, such as a lost one, while the node lists other
// processes.
type unlistedGPU struct {
	node string
	gpu  *cluster.GPU
}

// addUnseen adds the ranks that a program must have but that were never seen. If there are more ranks than GPUs, some
// ranks need no GPU.
func (t *rankTable) addUnseen() {
	var unseen []RankRow
	for p := range t.roll.Running() {
		if p.World > maxWorld || len(t.silent) == 0 && p.World > t.job.GPUs {
			continue
		}
		for r := range p.World {
			if !t.roll.Taken(cluster.RankID{Program: p, Rank: r}) {
				unseen = append(unseen, RankRow{Rank: &wire.Rank{Rank: r, World: new(p.World), From: p.From}, of: p,
					State: RankUnseen, Number: cluster.NoNumber, place: len(t.job.Nodes)})
			}
		}
	}
	if t.whole {
		t.rows = append(t.rows, unseen...)
		return
	}
	left := t.placeUnseen(unseen)
	for i := range unseen {
		r := &unseen[i]
		if r.State = RankUnknown; r.Node == "" && left == 0 && len(t.silent) == 1 {
			r.Node = t.silent[0]
		}
	}
	t.rows = append(t.rows, unseen...)
}

// placeUnseen finds the ranks that are on unlisted GPUs. Ranks are numbered along the GPUs of a node, so an unseen rank
// is next to its neighbors. It returns how many of these GPUs have no known rank.
func (t *rankTable) placeUnseen(unseen []RankRow) (left int) {
	known := map[cluster.RankID]*RankRow{}
	free := t.unlisted
	for i := range t.rows {
		if r := &t.rows[i]; len(free) > 0 && r.Rank != nil {
			known[r.idOfRank()] = r
			free = slices.DeleteFunc(free, func(u unlistedGPU) bool { return u.gpu == r.GPU })
		}
	}
	for i := range unseen {
		r := &unseen[i]
		at := slices.IndexFunc(free, func(u unlistedGPU) bool {
			return slices.ContainsFunc([]int{-1, 1}, func(side int) bool {
				next := known[cluster.RankID{Program: r.of, Rank: r.Rank.Rank + side}]
				return next != nil && next.Node == u.node && next.Number == u.gpu.Number+side
			})
		})
		if at >= 0 {
			r.Node, r.GPU, r.Number = free[at].node, free[at].gpu, free[at].gpu.Number
			known[r.idOfRank()] = r
			free = slices.Delete(free, at, at+1)
		}
	}
	return len(free)
}
