package clean

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Limits of what the ranks of a job do: of the elements of lists, and of the bytes of strings.
const (
	maxGroups  = 1 << 14
	maxFrames  = 1000
	maxSaid    = 20
	maxSummary = 1000
)

// Stacks returns what the ranks of a job do, safe to display.
func Stacks(d *schema.Stacks) *schema.Stacks {
	to := *d
	to.Job, to.State = safe.Line(d.Job, maxPart), schema.StackState(safe.Line(string(d.State), maxPart))
	to.Headline, to.Said = safe.Line(d.Headline, maxSummary), lines(d.Said)
	to.Groups = each(d.Groups, maxGroups, func(g *schema.StackGroup) {
		line(&g.Summary, &g.Members, &g.Collective)
		g.Ranks = each(g.Ranks, maxGroups, func(r *schema.StackRank) { line(&r.Node, &r.State, &r.NoRank) })
		g.Frames = frames(g.Frames)
		g.Threads = each(g.Threads, maxFrames, func(t *schema.StackThread) {
			line(&t.Name, &t.State, &t.Summary)
			t.Frames = frames(t.Frames)
		})
		g.Workers = each(g.Workers, maxGroups, func(w *schema.StackWorker) {
			line(&w.Node, &w.Name, &w.State, &w.File, &w.FileSystem, &w.Mount, &w.Summary)
		})
		g.Children = each(g.Children, maxGroups, func(c *schema.StackChild) {
			line(&c.Node, &c.Name, &c.State, &c.Summary)
		})
	})
	to.Groups = slices.DeleteFunc(to.Groups, func(g schema.StackGroup) bool { return len(g.Ranks) == 0 })
	to.Refused = each(d.Refused, maxGroups, func(r *schema.StackRefusal) { line(&r.ID, &r.Cause, &r.Hint, &r.Members) })
	if d.NCCL != nil {
		to.NCCL = &schema.StackNCCL{Version: safe.Line(d.NCCL.Version, maxPart),
			State: safe.Line(d.NCCL.State, maxPart),
			Said:  lines(d.NCCL.Said), Coupled: d.NCCL.Coupled}
	}
	return &to
}

func frames(list []schema.StackFrame) []schema.StackFrame {
	return each(list, maxFrames, func(f *schema.StackFrame) {
		line(&f.Function, &f.File)
		f.Lines = each(f.Lines, maxFrames, func(l *schema.StackLine) { line(&l.Members) })
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
