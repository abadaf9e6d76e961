package export

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

func newProcess(n *cluster.Node, g *cluster.GPU, p *wire.Process) schema.Process {
	out := schema.Process{
		PID: p.PID, StartTicks: p.StartTicks, Type: p.Type, State: p.State, User: p.User, Name: p.Name,
		Command: p.Command, Directory: p.Directory,
		ParentPID: p.Parent, JobNumber: p.Job, Step: p.Step, Foreign: p.Foreign, Ended: p.Ended, CPUAffinity: p.CPUAffinity,
		NoRank: p.NoRank,
	}
	addNumbers(&out, p)
	out.GPU, out.GPUKey = nameOf(g)
	out.GPUMemoryPercent, out.HostMemoryPercent = roundedPercent(tally.GPUShare(g, p)),
		roundedPercent(tally.HostPercent(n, p))
	if r := p.Rank; r != nil {
		out.Rank, out.LocalRank, out.WorldSize, out.RankVariable = &r.Rank, r.Local, r.World, r.From
	}
	return out
}

// roundedPercent returns a share to two decimals; nil if it is unknown.
func roundedPercent(value float64, known bool) *float64 {
	if !known {
		return nil
	}
	value = metric.Round(value, 2)
	return &value
}

var rankStates = map[tally.RankState]schema.RankState{
	tally.RankRuns: schema.RankRuns, tally.RankGone: schema.RankGone, tally.RankUnseen: schema.RankNeverSeen,
	tally.RankUnknown: schema.RankUnknown,
}

func newRanks(s *cluster.Snapshot, job *cluster.JobView) (list []schema.Rank) {
	for _, row := range tally.Ranks(s, job) {
		if row.Rank == nil {
			continue
		}
		r := schema.Rank{Rank: row.Rank.Rank, WorldSize: row.Rank.World, Program: row.Program,
			State: rankStates[row.State], Node: row.Node, LastSeen: row.LastSeen}
		if row.Number != cluster.NoNumber {
			r.GPU = &row.Number
		} else if row.GPU != nil {
			r.GPUKey = row.GPU.Key
		}
		if row.Process != nil {
			r.PID = row.Process.PID
		}
		list = append(list, r)
	}
	return list
}
