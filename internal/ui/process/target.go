package process

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/list"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// actionSubject is the process and the job that a key acts on.
type actionSubject struct {
	at     *tally.Target // nil: there is no process
	tagged []tally.Target
	job    string // "": none
}

// subjectOfKeys returns the process under the cursor, its job, and the tagged processes.
func (p *Page) subjectOfKeys(s *part.Scene) actionSubject {
	on := actionSubject{tagged: p.tags.taggedTargets(s, p.View(s))}
	if t, ok := p.cursorTarget(s); ok {
		on.at, on.job = &t, ownJobID(s, t.Job)
	}
	if on.job == "" && p.scope.effectiveScope(s) < OfJobs { // the job of a relative is unknown
		on.job = s.Job.ID
	}
	return on
}

// noteRefusals tells the scene what the keys cannot do to the process under the cursor, or to that of the metrics on
// top.
func (p *Page) noteRefusals(s *part.Scene) {
	on := p.subjectOfKeys(s)
	if m, is := p.over.topMetrics(); is {
		on = subjectOfMetrics(s, m)
		s.NoSignal = m.WhyGone()
	}
	s.NoSignal, s.NoCancel = cmp.Or(s.NoSignal, on.whyNoSignal(s)), whyNoCancel(s, on.job)
}

// whyNoSignal says why none of the processes takes a signal; "": one does, or another of its job.
func (on *actionSubject) whyNoSignal(s *part.Scene) string {
	takes := func(t tally.Target) bool { return t.WhyNoSignal(s.Snap) == "" }
	switch {
	case on.at == nil:
		return "there is no process to send a signal to"
	case slices.ContainsFunc(on.tagged, takes):
		return ""
	}
	return on.at.WhyNoSignal(s.Snap)
}

// ownJobID returns the ID of a job if it is one of the user's, and otherwise "": a node may name any job for a process.
func ownJobID(s *part.Scene, id string) string {
	if slices.ContainsFunc(s.Snap.Jobs, func(j cluster.JobView) bool { return j.ID == id }) {
		return id
	}
	return ""
}

// cursorTarget returns the process under the cursor; false: there is none.
func (p *Page) cursorTarget(s *part.Scene) (tally.Target, bool) {
	v := p.View(s)
	if v.Len() == 0 {
		return tally.Target{}, false
	}
	return targetOf(s, v.At(p.At(s))), true
}

// Subject names the target of the keys: the tagged processes, or the process under the cursor.
func (p *Page) Subject(s *part.Scene) string {
	on := p.subjectOfKeys(s)
	switch {
	case len(on.tagged) > 0:
		return part.Plural(len(on.tagged), "tagged process", "tagged processes")
	case on.at == nil:
		return ""
	case on.at.Rank != nil:
		return "PID " + strconv.Itoa(on.at.PID) + ", rank " + strconv.Itoa(on.at.Rank.Rank) + ", on " + on.at.Node
	}
	return "PID " + strconv.Itoa(on.at.PID) + " on " + on.at.Node
}

// targetOf returns the process of a row. If the process names no job, it gets the row's job, which is known from the
// GPU.
func targetOf(s *part.Scene, r *table.ProcessRow) tally.Target {
	t := tally.TargetOf(s.Snap, r.Node, r.Process.Process)
	t.Job = cmp.Or(t.Job, r.Job)
	return t
}

func drawProcess(f *part.Frame, r *table.ProcessRow) {
	list.DrawProcess(f, targetOf(f.Scene, r), r.On)
}

// firstGPUUUID returns the UUID of the first GPU of a process, "" if unknown.
func firstGPUUUID(s *part.Scene, t *tally.Target) string {
	n := s.NodeOf(t.Node)
	for i := range n.Processes {
		if w := &n.Processes[i]; w.PID == t.PID && w.StartTicks == t.StartTicks {
			if g := n.GPUAt(w.GPU); g != nil {
				return g.Card.UUID
			}
		}
	}
	return ""
}

// row is the code of an action that shows something about the process under the cursor. It also selects the node of
// that process.
func row(open opener) func(*Page, *part.Scene) nav.Answer {
	return func(p *Page, s *part.Scene) nav.Answer {
		t, ok := p.cursorTarget(s)
		if !ok {
			return nav.Answer{}
		}
		on := p.scope.selectRow(s, p.View(s).At(p.At(s)))
		a := p.over.openOverlay(open(s, t))
		a.Node, a.Job = on.Node, on.Job
		return a
	}
}
