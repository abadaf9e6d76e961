package clean

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

// Limits on what is kept of the ranks of a job: elements of lists, and bytes of strings.
const (
	maxGroups  = 1 << 14
	maxFrames  = 1000
	maxSaid    = 20
	maxSummary = 1000
)

// Stacks returns what the ranks of a job do, in a form that is safe to display.
func Stacks(d *rankstacks.Verdict) *rankstacks.Verdict {
	to := *d
	to.Job, to.State = safe.Line(d.Job, maxPart), rankstacks.State(safe.Line(string(d.State), maxPart))
	to.Headline, to.Said = safe.Line(d.Headline, maxSummary), cleanLines(d.Said)
	to.Groups = copyCleaned(d.Groups, maxGroups, func(g *rankstacks.Group) {
		cleanStrings(&g.Summary, &g.Members, &g.Cause, &g.Hint, &g.Collective)
		g.Ranks = copyCleaned(g.Ranks, maxGroups, func(r *rankstacks.Rank) { cleanStrings(&r.Node, &r.State, &r.NoRank) })
		g.Frames = cleanFrames(g.Frames)
		g.Threads = copyCleaned(g.Threads, maxFrames, func(t *rankstacks.Thread) {
			cleanStrings(&t.Name, &t.State, &t.Summary)
			t.Frames = cleanFrames(t.Frames)
		})
		g.Workers = copyCleaned(g.Workers, maxGroups, func(w *rankstacks.Worker) {
			cleanStrings(&w.Node, &w.Name, &w.State, &w.File, &w.FileSystem, &w.Mount, &w.Summary)
		})
		g.Children = copyCleaned(g.Children, maxGroups, func(c *rankstacks.Child) {
			cleanStrings(&c.Node, &c.Name, &c.State, &c.Summary)
		})
	})
	to.Groups = slices.DeleteFunc(to.Groups, func(g rankstacks.Group) bool { return len(g.Ranks) == 0 })
	to.Refused = copyCleaned(d.Refused, maxGroups,
		func(r *rankstacks.Refusal) { cleanStrings(&r.ID, &r.Cause, &r.Hint, &r.Members) })
	if d.NCCL != nil {
		to.NCCL = &rankstacks.NCCL{Version: safe.Line(d.NCCL.Version, maxPart),
			State: safe.Line(d.NCCL.State, maxPart),
			Said:  cleanLines(d.NCCL.Said), Coupled: d.NCCL.Coupled}
	}
	return &to
}

func cleanFrames(list []rankstacks.Frame) []rankstacks.Frame {
	return copyCleaned(list, maxFrames, func(f *rankstacks.Frame) {
		cleanStrings(&f.Function, &f.File)
		f.Lines = copyCleaned(f.Lines, maxFrames, func(l *rankstacks.Line) { cleanStrings(&l.Members) })
	})
}

func cleanLines(list []string) []string {
	return copyCleaned(list, maxSaid, func(s *string) { cleanStrings(s) })
}

// cleanStrings makes strings safe.
func cleanStrings(of ...*string) {
	for _, s := range of {
		*s = safe.Line(*s, maxSummary)
	}
}
