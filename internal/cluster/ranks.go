package cluster

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// maxRanks limits the ranks that are remembered of one node.
const maxRanks = 1024

// SeenRank is the process with which a node last listed a rank of a job. A rank that has ended keeps its entry as long
// as the job is on the node: this is how an output knows which rank is gone, and where it was.
type SeenRank struct {
	wire.Rank
	Job    string // ID
	PID    int
	Start  uint64    // as wire.Process.StartTicks
	Key    string    // of its GPU
	Number int       // of its GPU
	Began  time.Time // when its process began, by the node's clock; when it was first listed, if that is unknown
	Seen   time.Time // when it was last listed

	launch launch
}

func worldOf(r *wire.Rank) int {
	if r.World == nil {
		return 0
	}
	return *r.World
}

// Runs reports whether a process on node n is the job's. If its cgroup and its environment do not say so, the GPU does
// that it is on.
func (j *Job) Runs(n *Node, p *wire.Process) bool {
	if p.Job != "" && j.Number != "" {
		return p.Job == j.Number
	}
	g := n.at(p.GPU)
	return g != nil && j.Owns(n, g)
}

// at returns the GPU with this index, nil if there is none.
func (n *Node) at(index int) *GPU {
	for i := range n.GPUs {
		if n.GPUs[i].Index == index {
			return &n.GPUs[i]
		}
	}
	return nil
}

// recallRanks notes the ranks in a new list of processes. It never changes the slice that Snapshots share.
func (n *nodeRecord) recallRanks() {
	var ranks []SeenRank
	for i := range n.Processes {
		for _, job := range n.jobs {
			if p := &n.Processes[i]; p.Rank != nil && len(ranks) < maxRanks && job.Runs(&n.Node, p) {
				ranks = n.addRank(ranks, job.ID, p)
			}
		}
	}
	for i := range n.Ranks {
		if r := &n.Ranks[i]; len(ranks) < maxRanks && n.hasJob(r.Job) && find(ranks, r.Job, &r.Rank, r.launch) == nil &&
			!n.lists(r.PID, r.Start) && !replaced(ranks, r) {
			ranks = append(ranks, *r)
		}
	}
	n.Ranks = ranks
}

// addRank adds the rank of a process, unless another process has it already.
func (n *nodeRecord) addRank(ranks []SeenRank, job string, p *wire.Process) []SeenRank {
	g := n.at(p.GPU)
	l := launchOf(n.Name, p)
	if g == nil || find(ranks, job, p.Rank, l) != nil {
		return ranks
	}
	r := SeenRank{Rank: *p.Rank, Job: job, PID: p.PID, Start: p.StartTicks, Key: g.Key, Number: g.Number,
		Began: n.ListedAt, Seen: n.ListedAt, launch: l}
	old := find(n.Ranks, job, p.Rank, l)
	switch {
	case old != nil && old.PID == p.PID && old.Start == p.StartTicks:
		r.Began = old.Began
	case p.ElapsedSec != nil:
		r.Began = r.Seen.Add(-min(max(time.Duration(*p.ElapsedSec), 0), maxElapsed) * time.Second)
	}
	return append(ranks, r)
}

// maxElapsed limits the seconds for which a process may say that it runs.
const maxElapsed = 10 * 365 * 24 * 3600

func find(ranks []SeenRank, job string, rank *wire.Rank, of launch) *SeenRank {
	for i := range ranks {
		if r := &ranks[i]; r.Rank.Rank == rank.Rank && r.From == rank.From && r.launch == of && r.Job == job &&
			worldOf(&r.Rank) == worldOf(rank) {
			return r
		}
	}
	return nil
}

// replaced reports whether the rank runs again on its GPU, started after it was last seen: then its program was started
// again, by another launch.
func replaced(ranks []SeenRank, r *SeenRank) bool {
	return slices.ContainsFunc(ranks, func(o SeenRank) bool {
		return o.Rank.Rank == r.Rank.Rank && o.Key == r.Key && o.Job == r.Job && o.From == r.From &&
			worldOf(&o.Rank) == worldOf(&r.Rank) && o.Began.After(r.Seen)
	})
}

// lists reports whether a process is in the node's list. One that is there without its rank is proof that it never was
// that rank.
func (n *Node) lists(pid int, start uint64) bool {
	for i := range n.Processes {
		if p := &n.Processes[i]; p.PID == pid && p.StartTicks == start {
			return true
		}
	}
	return false
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
	kept := make([]SeenRank, 0, len(n.Ranks))
	for _, r := range n.Ranks {
		if n.hasJob(r.Job) {
			kept = append(kept, r)
		}
	}
	n.Ranks = kept
}
