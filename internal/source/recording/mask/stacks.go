package mask

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// maskStacks leaves only the numbers about what the ranks of a job do: functions, files and sentences name the user's
// program.
func (m *Mask) maskStacks(d *rankstacks.Verdict) *rankstacks.Verdict {
	to := &rankstacks.Verdict{Version: d.Version, Job: m.replaceNumber(d.Job), Time: d.Time,
		ComparedSeconds: d.ComparedSeconds,
		State:           d.State, Asked: d.Asked, Read: d.Read, Groups: []rankstacks.Group{}}
	for _, g := range d.Groups {
		of := rankstacks.Group{Outlier: g.Outlier, Vague: g.Vague, Moved: g.Moved}
		for _, r := range g.Ranks {
			of.Ranks = append(of.Ranks, rankstacks.Rank{Rank: r.Rank, Node: m.Node(r.Node), GPUs: r.GPUs, PID: r.PID})
		}
		to.Groups = append(to.Groups, of)
	}
	for _, r := range d.Refused {
		if !refusals[r.ID] {
			r.ID = "other"
		}
		to.Refused = append(to.Refused, rankstacks.Refusal{ID: r.ID, Count: r.Count})
	}
	return to
}

// refusals are our own words for the reasons.
var refusals = map[string]bool{wire.RefusedNoPython: true, wire.RefusedVersion: true, wire.RefusedUser: true,
	wire.RefusedPtrace: true, wire.RefusedDumpable: true, wire.RefusedHidden: true, wire.RefusedGone: true,
	wire.RefusedState: true, wire.RefusedTime: true, wire.RefusedLimit: true, wire.RefusedKernel: true}
