package tally

import (
	"cmp"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// program is what a process itself says about its program.
type program struct {
	from, named string
	world       int // 0: unknown
}

// rankID is one rank of a program.
type rankID struct {
	program
	rank int
}

func idOf(r *wire.Rank) rankID {
	id := rankID{program{from: r.From, named: r.Program}, r.Rank}
	if r.World != nil {
		id.world = *r.World
	}
	return id
}

// SameRank reports whether two processes have the same rank of one program. Processes without a rank do not.
func SameRank(a, b *wire.Rank) bool { return a != nil && b != nil && idOf(a) == idOf(b) }

// Left reports whether a process that was on GPUs is no longer in its node's list. In most cases it has ended.
func Left(s *cluster.Snapshot, t *Target) bool {
	n := Node(s, t.Node)
	if n.State != cluster.NodeReporting || len(t.GPUs) == 0 {
		return false
	}
	if slices.ContainsFunc(n.Processes, func(p wire.Process) bool { return idOfProcess(&p) == t.ProcessID }) {
		return false
	}
	return !slices.ContainsFunc(t.GPUs, func(number int) bool {
		i := slices.IndexFunc(n.GPUs, func(g cluster.GPU) bool { return g.Number == number })
		return i < 0 || !listsProcesses(n, &n.GPUs[i])
	})
}

// RanksOf counts the ranks of the programs of a job, as far as they are known.
func RanksOf(s *cluster.Snapshot, job *cluster.JobView) int {
	worlds := map[program]int{}
	for id := range ranksOf(Targets(s, job)) {
		worlds[id.program]++
	}
	n := 0
	for p, found := range worlds {
		n += max(found, p.world)
	}
	return n
}

// CountRanks counts the ranks of Targets, which all belong to one job.
func CountRanks(targets []Target) int { return len(ranksOf(targets)) }

func ranksOf(targets []Target) map[rankID]bool {
	seen := map[rankID]bool{}
	for _, t := range targets {
		if t.Rank != nil {
			seen[idOf(t.Rank)] = true
		}
	}
	return seen
}

// Children returns a process and its descendants, as listed by its node. A parent always comes before its children.
// found says that the node knows the process itself.
func Children(s *cluster.Snapshot, of Target, family []wire.Relative) (list []Target, found bool) {
	children := map[int][]*wire.Relative{}
	for i := range family {
		r := &family[i]
		children[r.Parent] = append(children[r.Parent], r)
		found = found || r.ProcessID == of.ProcessID
	}
	list = []Target{of}
	n, seen := Node(s, of.Node), map[int]bool{of.PID: true}
	for i := 0; i < len(list); i++ {
		for _, r := range children[list[i].PID] {
			if !seen[r.PID] {
				seen[r.PID] = true
				list = append(list, relativeTarget(s, n, of, r))
			}
		}
	}
	return list, found
}

// relativeTarget returns the Target of a process's descendant.
func relativeTarget(s *cluster.Snapshot, n *cluster.Node, of Target, r *wire.Relative) Target {
	for i := range n.Processes {
		if p := &n.Processes[i]; idOfProcess(p) == r.ProcessID {
			return TargetOf(s, n, p)
		}
	}
	t := Target{Node: of.Node, ProcessID: r.ProcessID, User: r.User, Command: cmp.Or(r.Command, r.Name),
		Job: of.Job}
	t.Mine = r.User != "" && (r.User == s.Discovery.User || of.Mine && r.User == of.User)
	t.setOwner(n, r.UID)
	return t
}
