package mask

import (
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// stacks leaves only numbers of what the ranks of a job do: functions, files and sentences name the user's program.
func (m *Mask) stacks(d *schema.Stacks) *schema.Stacks {
	to := &schema.Stacks{Version: d.Version, Job: m.number(d.Job), Time: d.Time, ComparedSeconds: d.ComparedSeconds,
		State: d.State, Asked: d.Asked, Read: d.Read, Groups: []schema.StackGroup{}}
	for _, g := range d.Groups {
		of := schema.StackGroup{Outlier: g.Outlier, Vague: g.Vague, Moved: g.Moved}
		for _, r := range g.Ranks {
			of.Ranks = append(of.Ranks, schema.StackRank{Rank: r.Rank, Node: m.Node(r.Node), GPUs: r.GPUs, PID: r.PID})
		}
		to.Groups = append(to.Groups, of)
	}
	for _, r := range d.Refused {
		if !refusals[r.ID] {
			r.ID = "other"
		}
		to.Refused = append(to.Refused, schema.StackRefusal{ID: r.ID, Count: r.Count})
	}
	return to
}

// refusals are our own words for reasons.
var refusals = map[string]bool{wire.RefusedNoPython: true, wire.RefusedVersion: true, wire.RefusedUser: true,
	wire.RefusedPtrace: true, wire.RefusedDumpable: true, wire.RefusedHidden: true, wire.RefusedGone: true,
	wire.RefusedState: true, wire.RefusedTime: true, wire.RefusedLimit: true, wire.RefusedKernel: true}
