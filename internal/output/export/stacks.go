package export

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Stacks returns the document about the ranks of a job.
func Stacks(v *rankstacks.Verdict) *schema.Stacks {
	return &schema.Stacks{Version: schema.StacksVersion, Job: v.Job, Time: v.Time, ComparedSeconds: v.ComparedSeconds,
		State: schema.StackState(v.State), Headline: v.Headline, Said: v.Said, Asked: v.Asked, Read: v.Read,
		Groups:  each(v.Groups, stackGroup),
		Refused: each(v.Refused, func(r *rankstacks.Refusal) schema.StackRefusal { return schema.StackRefusal(*r) }),
		NCCL:    (*schema.StackNCCL)(v.NCCL)}
}

func stackGroup(g *rankstacks.Group) schema.StackGroup {
	return schema.StackGroup{Summary: g.Summary, Members: g.Members, Outlier: g.Outlier, Vague: g.Vague, Cause: g.Cause,
		Hint: g.Hint, Moved: g.Moved,
		Collective: g.Collective, Deeper: g.Deeper, MoreChildren: g.MoreChildren,
		Ranks:  each(g.Ranks, stackRank),
		Frames: each(g.Frames, stackFrame),
		Threads: each(g.Threads, func(t *rankstacks.Thread) schema.StackThread {
			return schema.StackThread{TID: t.TID, Name: t.Name, State: t.State, Summary: t.Summary,
				Frames: each(t.Frames, stackFrame)}
		}),
		Workers: each(g.Workers, func(w *rankstacks.Worker) schema.StackWorker { return schema.StackWorker(*w) }),
		Children: each(g.Children, func(c *rankstacks.Child) schema.StackChild {
			return schema.StackChild{Rank: c.Rank, Node: c.Node, PID: c.PID, Parent: c.Parent, Name: c.Name, State: c.State,
				Summary: c.Summary, Counted: (*schema.StackCounted)(c.Counted)}
		}),
	}
}

func stackRank(r *rankstacks.Rank) schema.StackRank {
	return schema.StackRank{Rank: r.Rank, NoRank: r.NoRank, Node: r.Node, GPUs: r.GPUs, PID: r.PID,
		StartTicks: r.StartTicks, State: r.State, Counted: (*schema.StackCounted)(r.Counted)}
}

func stackFrame(f *rankstacks.Frame) schema.StackFrame {
	return schema.StackFrame{Function: f.Function, File: f.File, Line: f.Line,
		Lines: each(f.Lines, func(l *rankstacks.Line) schema.StackLine { return schema.StackLine(*l) })}
}

// each returns the elements of a list in another form; nil stays nil.
func each[From, To any](list []From, as func(*From) To) []To {
	if list == nil {
		return nil
	}
	all := make([]To, len(list))
	for i := range list {
		all[i] = as(&list[i])
	}
	return all
}
