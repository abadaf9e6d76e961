package report

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Limits on the stacks in a report: of all stacks only the last ones are kept, and of each only some groups.
const (
	mostStacks  = 50
	largest     = 3
	mostOutlier = 8
)

// noteStacks keeps what the ranks did when they were asked. The same looks may arrive again when more is known about
// them.
func (o *Observer) noteStacks(d *rankstacks.Verdict) {
	at := slices.IndexFunc(o.stacks, func(s report.Stacks) bool { return s.Time.Equal(d.Time) })
	if made := stacksOf(d); at >= 0 {
		o.stacks[at] = made
	} else {
		o.stacks = append(o.stacks[max(len(o.stacks)+1-mostStacks, 0):], made)
	}
}

// stacksOf returns the result with the largest groups and the outliers.
func stacksOf(d *rankstacks.Verdict) report.Stacks {
	s := report.Stacks{Time: d.Time.UTC(), State: string(d.State), Said: d.Said, Asked: d.Asked, Read: d.Read,
		Groups: []report.StackGroup{}}
	if d.NCCL != nil {
		s.NCCL = d.NCCL.Said
	}
	outliers := 0
	for i := range d.Groups {
		g := &d.Groups[i]
		if g.Outlier {
			outliers++
		}
		if i >= largest && (!g.Outlier || outliers > mostOutlier) {
			s.Others++
			continue
		}
		s.Groups = append(s.Groups, report.StackGroup{Ranks: len(g.Ranks), Members: g.Members, Summary: g.Summary,
			Outlier: g.Outlier})
	}
	return s
}
