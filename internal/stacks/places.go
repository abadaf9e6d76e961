package stacks

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Places returns the processes of a job on its GPUs, and the ranks that have none. ready is false while a node that
// reports has not listed its processes.
func Places(s *cluster.Snapshot, job *cluster.JobView) (places []Place, ready bool) {
	type process struct {
		node string
		pid  int
	}
	at := map[process]int{}
	for _, row := range tally.Ranks(s, job) {
		p := Place{Number: NoRank, Node: row.Node}
		if row.Rank != nil {
			p.Number = row.Rank.Rank
		}
		if row.Process != nil {
			p.NoRank = row.Process.NoRank
		}
		if row.Number != cluster.NoNumber {
			p.GPUs = []int{row.Number}
		}
		if row.Process == nil || row.State != tally.RankRuns {
			why := absent[row.State]
			if p.Absent, p.AbsentID = why.Cause, why.ID; row.Process != nil {
				p.PID, p.StartTicks = row.Process.PID, row.Process.StartTicks
			}
			places = append(places, p)
			continue
		}
		p.PID, p.StartTicks = row.Process.PID, row.Process.StartTicks
		id := process{p.Node, p.PID}
		if i, known := at[id]; known {
			places[i].GPUs = append(places[i].GPUs, p.GPUs...)
			continue
		}
		at[id] = len(places)
		places = append(places, p)
	}
	return places, !slices.ContainsFunc(job.Nodes, func(name string) bool {
		n := tally.Node(s, name)
		return n.State == cluster.NodeConnecting || n.State == cluster.NodeReporting && !n.Listed
	})
}

// absent says why a rank has no process to ask about.
var absent = map[tally.RankState]wire.Refusal{
	tally.RankGone:    {ID: wire.RefusedGone, Cause: "its process has left its GPU"},
	tally.RankUnseen:  {ID: wire.RefusedGone, Cause: "no process of this rank is on any GPU of the job"},
	tally.RankUnknown: {ID: noAnswer, Cause: "its node does not report"},
}
