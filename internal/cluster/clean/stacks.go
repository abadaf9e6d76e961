package clean

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

// Limits of what the ranks of a job do: of the elements of lists, and of the bytes of strings.
const (
	maxGroups  = 1 << 14
	maxFrames  = 1000
	maxSaid    = 20
	maxSummary = 1000
)

// Stacks returns what the ranks of a job do, safe to display.
func Stacks(d *rankstacks.Verdict) *rankstacks.Verdict {
	to := *d
	to.Job, to.State = safe.Line(d.Job, maxPart), rankstacks.State(safe.Line(string(d.State), maxPart))
	to.Headline, to.Said = safe.Line(d.Headline, maxSummary), lines(d.Said)
	to.Groups = each(d.Groups, maxGroups, func(g *rankstacks.Group) {
		line(&g.Summary, &g.Members, &g.Collective)
		g.Ranks = each(g.Ranks, maxGroups, func(r *rankstacks.Rank) { line(&r.Node, &r.State, &r.NoRank) })
		g.Frames = frames(g.Frames)
		g.Threads = each(g.Threads, maxFrames, func(t *rankstacks.Thread) {
			line(&t.Name, &t.State, &t.Summary)
			t.Frames = frames(t.Frames)
		})
		g.Workers = each(g.Workers, maxGroups, func(w *rankstacks.Worker) {
			line(&w.Node, &w.Name, &w.State, &w.File, &w.FileSystem, &w.Mount, &w.Summary)
		})
		g.Children = each(g.Children, maxGroups, func(c *rankstacks.Child) {
			line(&c.Node, &c.Name, &c.State, &c.Summary)
		})
	})
	to.Groups = slices.DeleteFunc(to.Groups, func(g rankstacks.Group) bool { return len(g.Ranks) == 0 })
	to.Refused = each(d.Refused, maxGroups, func(r *rankstacks.Refusal) { line(&r.ID, &r.Cause, &r.Hint, &r.Members) })
	if d.NCCL != nil {
		to.NCCL = &rankstacks.NCCL{Version: safe.Line(d.NCCL.Version, maxPart),
			State: safe.Line(d.NCCL.State, maxPart),
			Said:  lines(d.NCCL.Said), Coupled: d.NCCL.Coupled}
	}
	return &to
}

func frames(list []rankstacks.Frame) []rankstacks.Frame {
	return each(list, maxFrames, func(f *rankstacks.Frame) {
		line(&f.Function, &f.File)
		f.Lines = each(f.Lines, maxFrames, func(l *rankstacks.Line) { line(&l.Members) })
	})
}

func lines(list []string) []string { return each(list, maxSaid, func(s *string) { line(s) }) }

// line makes strings safe.
func line(of ...*string) {
	for _, s := range of {
		*s = safe.Line(*s, maxSummary)
	}
}

// each returns a changed copy of a list of limited length.
func each[T any](list []T, most int, change func(*T)) []T {
	list = slices.Clone(list[:min(len(list), most)])
	for i := range list {
		change(&list[i])
	}
	return list
}
