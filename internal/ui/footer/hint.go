package footer

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// MouseHints says that the terminal has the mouse.
func MouseHints(s *part.Scene) []keys.Hint {
	return MouseOff(s, keys.HintOf(keys.Mouse))
}

// AroundHints returns the hints of a page without a cursor: the arrows lead to other jobs and nodes.
func AroundHints(s *part.Scene) []keys.Hint {
	var hints []keys.Hint
	if len(s.Snap.Jobs) > 1 {
		hints = append(hints, keys.Job)
	}
	if len(s.Job.Nodes) > 1 {
		hints = append(hints, keys.Node)
	}
	return hints
}

// WhyNoEffect says why an action has no effect in a scene; "": it has one.
func WhyNoEffect(s *part.Scene, needs keys.Need) string {
	for _, n := range [...]struct {
		need keys.Need
		met  bool
		why  string
	}{
		{keys.NeedsJob | keys.NeedsNodes | keys.NeedsSharing | keys.OfCursor, s.Job != nil, "no job runs"},
		{keys.NeedsJobs, len(s.Snap.Jobs) > 1, "there is no other job"},
		{keys.NeedsNodes, s.Job != nil && len(s.Job.Nodes) > 1, "the job has one node"},
		{keys.NeedsProblem, slices.ContainsFunc(s.Snap.Jobs, inTrouble), "no job has a problem"},
		{keys.NeedsSharing, s.Job != nil && len(MineHint(s, s.Job.Nodes)) > 0, "these nodes have no GPUs of other jobs"},
		{keys.NeedsSignals, s.ReadOnly == "", s.Forbidden()},
		{keys.NeedsProcess, s.NoSignal == "", s.NoSignal},
		{keys.NeedsOwnJob, s.NoCancel == "", s.NoCancel},
		{keys.NeedsRecorder, !s.Replay, "this is a recording"},
		{keys.NeedsPast, s.NoPast == "", s.NoPast},
	} {
		if needs&n.need != 0 && !n.met {
			return n.why
		}
	}
	return ""
}

func inTrouble(j cluster.JobView) bool { return slices.ContainsFunc(j.Findings, isProblem) }

// CommonHints returns the hints shared by most pages, for the nodes shown. Keys without effect are left out.
func CommonHints(s *part.Scene, nodes ...string) []keys.Hint {
	return slices.Concat(NextProblemHint(s), MineHint(s, nodes), ProblemsHint(s),
		[]keys.Hint{keys.HintOf(keys.Ranks), keys.HintOf(keys.Refresh)})
}

// NextProblemHint returns the hint of the key that leads to another problem, if there is one.
func NextProblemHint(s *part.Scene) []keys.Hint {
	if slices.ContainsFunc(s.Job.Findings, isProblem) && hasOtherProblem(s) {
		return []keys.Hint{keys.Problem}
	}
	return nil
}

// ProblemsHint returns the hint of the list of problems, if there are any.
func ProblemsHint(s *part.Scene) []keys.Hint {
	if slices.ContainsFunc(s.Job.Findings, isProblem) {
		return []keys.Hint{keys.HintOf(keys.Problems)}
	}
	return nil
}

// MineHint returns the hint of the key that hides GPUs of other jobs, or shows them again, if these nodes have any.
func MineHint(s *part.Scene, nodes []string) []keys.Hint {
	switch {
	case s.Mine:
		return []keys.Hint{keys.HintOf(keys.Mine).As("show all")}
	case areShared(s, nodes):
		return []keys.Hint{keys.HintOf(keys.Mine)}
	}
	return nil
}

// LastHints are the hints that every footer ends with.
var LastHints = []keys.Hint{keys.HintOf(keys.Help), keys.HintOf(keys.Quit)}

// isProblem reports whether a finding is at least a warning and is not over.
func isProblem(f cluster.Finding) bool { return f.Severity >= cluster.Warning && f.Holds() }

// hasOtherProblem reports whether another node, or another job, has a problem.
func hasOtherProblem(s *part.Scene) bool {
	return slices.ContainsFunc(s.Order, func(name string) bool {
		return name != s.Node.Name &&
			s.Health.Rank(name) >= int(cluster.Warning)
	}) ||
		slices.ContainsFunc(s.Snap.Jobs, func(j cluster.JobView) bool {
			return j.ID != s.Job.ID &&
				slices.ContainsFunc(j.Findings, isProblem)
		})
}

// areShared reports whether any of these nodes of the job has GPUs of other jobs.
func areShared(s *part.Scene, nodes []string) bool {
	shared := func() bool {
		return slices.ContainsFunc(nodes, func(name string) bool { return isShared(s, name) })
	}
	if len(nodes) < len(s.Job.Nodes) {
		return shared()
	}
	return part.Once(s, sharedKey{}, shared)
}

type sharedKey struct{}

// isShared reports whether a node has GPUs of other jobs.
func isShared(s *part.Scene, name string) bool {
	n := s.NodeOf(name)
	share := s.Job.Share(n)
	return n.AnyGPU(func(g *cluster.GPU) bool { return !share.Has(&g.Number) })
}
