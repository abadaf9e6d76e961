package store

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// maxRanks limits the remembered ranks of one node.
const maxRanks = 1024

// recallRanks notes the ranks of a new list of processes. It never changes the slice that Snapshots share.
func (n *nodeRecord) recallRanks() {
	var ranks []cluster.SeenRank
	for i := range n.Processes {
		for _, job := range n.jobs {
			if p := &n.Processes[i]; p.Rank != nil && len(ranks) < maxRanks && job.Runs(&n.Node, p) {
				ranks = n.addRank(ranks, job.ID, p)
			}
		}
	}
	for i := range n.Ranks {
		if r := &n.Ranks[i]; len(ranks) < maxRanks && n.hasJob(r.Job) && findSeenRank(ranks, r.Job, &r.Rank, r.By) == nil &&
			!n.ListsProcess(r.PID, r.Start) && !isReplaced(ranks, r) {
			ranks = append(ranks, *r)
		}
	}
	n.Ranks = ranks
}

// addRank adds the rank of a process, unless another process has it already.
func (n *nodeRecord) addRank(ranks []cluster.SeenRank, job string, p *wire.Process) []cluster.SeenRank {
	g := n.GPUAt(p.GPU)
	l := cluster.LaunchOf(n.Name, p)
	if g == nil || findSeenRank(ranks, job, p.Rank, l) != nil {
		return ranks
	}
	r := cluster.SeenRank{Rank: *p.Rank, Job: job, PID: p.PID, Start: p.StartTicks, Key: g.Key, Number: g.Number,
		Began: n.ListedAt, Seen: n.ListedAt, By: l}
	old := findSeenRank(n.Ranks, job, p.Rank, l)
	switch {
	case old != nil && old.PID == p.PID && old.Start == p.StartTicks:
		r.Began = old.Began
	case p.ElapsedSec != nil:
		r.Began = r.Seen.Add(-min(max(time.Duration(*p.ElapsedSec), 0), cluster.MaxElapsed) * time.Second)
	}
	return append(ranks, r)
}

func findSeenRank(ranks []cluster.SeenRank, job string, rank *wire.Rank, of cluster.Launch) *cluster.SeenRank {
	for i := range ranks {
		if r := &ranks[i]; r.Rank.Rank == rank.Rank && r.From == rank.From && r.By == of && r.Job == job &&
			cluster.WorldOf(&r.Rank) == cluster.WorldOf(rank) {
			return r
		}
	}
	return nil
}

// isReplaced reports whether the rank runs again on its GPU, with a start after the rank was last seen: its program was
// then started again, by another launch.
func isReplaced(ranks []cluster.SeenRank, r *cluster.SeenRank) bool {
	return slices.ContainsFunc(ranks, func(o cluster.SeenRank) bool {
		return o.Rank.Rank == r.Rank.Rank && o.Key == r.Key && o.Job == r.Job && o.From == r.From &&
			cluster.WorldOf(&o.Rank) == cluster.WorldOf(&r.Rank) && o.Began.After(r.Seen)
	})
}

func (n *nodeRecord) hasJob(id string) bool {
	for _, j := range n.jobs {
		if j.ID == id {
			return true
		}
	}
	return false
}

// forgetRanks forgets the ranks of jobs that are no longer on the node.
func (n *nodeRecord) forgetRanks() {
	kept := make([]cluster.SeenRank, 0, len(n.Ranks))
	for _, r := range n.Ranks {
		if n.hasJob(r.Job) {
			kept = append(kept, r)
		}
	}
	n.Ranks = kept
}
