package process

import (
	"cmp"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/inspect"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/signal"
)

// actingPage is a page with processes to act on.
type actingPage struct {
	over *overlays
	on   func() actionSubject
}

// acts is the code of the actions that open a dialog about signals.
var acts = nav.CodeTable[actingPage]{
	{Of: keys.SignalInt, Do: send(signal.Interrupt)},
	{Of: keys.SignalTerm, Do: send(signal.Terminate)},
	{Of: keys.SignalKill, Do: send(signal.Kill)},
	{Of: keys.SignalAny, Do: send(0)}, // the dialog asks which one
	{Of: keys.Renice, Do: func(x actingPage, s *part.Scene) nav.Answer { return x.over.openScheduleDialog(s, x.on()) }},
	{Of: keys.Scancel, Do: func(x actingPage, s *part.Scene) nav.Answer { return x.over.openCancelDialog(s, x.on().job) }},
}

func send(by signal.Signal) func(actingPage, *part.Scene) nav.Answer {
	return func(x actingPage, s *part.Scene) nav.Answer { return x.over.openSignalDialog(s, by, x.on()) }
}

// openSignalDialog asks whether to send a signal.
func (over *overlays) openSignalDialog(s *part.Scene, by signal.Signal, on actionSubject) nav.Answer {
	if why := s.Forbidden(); why != "" || on.at == nil {
		return nav.Answer{Taken: true, Notice: why}
	}
	d, first := signal.NewDialog(*on.at, on.tagged, by, s)
	return over.openOverlay(d, first)
}

// openScheduleDialog asks how to schedule a process.
func (over *overlays) openScheduleDialog(s *part.Scene, on actionSubject) nav.Answer {
	if why := s.Forbidden(); why != "" || on.at == nil {
		return nav.Answer{Taken: true, Notice: why}
	}
	d, first := signal.NewSchedule(*on.at, on.tagged, s)
	return over.openOverlay(d, first)
}

// openCancelDialog asks the user what SLURM should do with a job.
func (over *overlays) openCancelDialog(s *part.Scene, job string) nav.Answer {
	if why := cmp.Or(s.Forbidden(), whyNoCancel(s, job)); why != "" {
		return nav.Answer{Taken: true, Notice: why}
	}
	c, first := signal.NewCancel(job, s)
	return over.openOverlay(c, first)
}

// whyNoCancel says why there is no job to cancel; "": there is one.
func whyNoCancel(s *part.Scene, job string) string {
	switch {
	case job != "":
		return ""
	case s.Job.ID == "":
		return "these nodes are not a job of SLURM: there is nothing to cancel"
	}
	return "this process does not belong to one of your running jobs"
}

// opener opens something that shows or copies facts about a process.
type opener func(s *part.Scene, t tally.Target) (overlay, nav.Answer)

func openEnviron(_ *part.Scene, t tally.Target) (overlay, nav.Answer) { return inspect.NewEnviron(t) }
func openDetails(_ *part.Scene, t tally.Target) (overlay, nav.Answer) { return inspect.NewDetails(t) }
func openMetrics(_ *part.Scene, t tally.Target) (overlay, nav.Answer) { return inspect.NewMetrics(t) }

func openCopy(s *part.Scene, t tally.Target) (overlay, nav.Answer) {
	return inspect.NewCopy(t, s.NodeOf(t.Node).Route.Door, firstGPUUUID(s, &t))
}

// ofMetrics has the actions on the page of a process's metrics, besides acts.
var ofMetrics = nav.CodeTable[*metrics]{
	{Of: keys.Environ, Do: shown(openEnviron)},
	{Of: keys.Inspect, Do: shown(openDetails)},
	{Of: keys.CopyMenu, Do: shown(openCopy)},
}

// metrics is the page of a process's metrics on top.
type metrics struct {
	*inspect.Metrics
	over *overlays
}

func shown(open opener) func(*metrics, *part.Scene) nav.Answer {
	return func(m *metrics, s *part.Scene) nav.Answer { return m.over.openOverlay(open(s, m.Target())) }
}

// doAction acts on the process of the page. The cursor may be on another process by now.
func (m *metrics) doAction(msg tea.Msg, s *part.Scene) nav.Answer {
	if a := ofMetrics.Do(m, msg, s); a.Taken {
		return a
	}
	return acts.Do(actingPage{m.over, func() actionSubject { return subjectOfMetrics(s, m.Metrics) }}, msg, s)
}

func subjectOfMetrics(s *part.Scene, m *inspect.Metrics) actionSubject {
	return actionSubject{at: new(m.Target()), job: ownJobID(s, m.Target().Job)}
}

// actions returns the actions of the overlay on top.
func (over overlays) actions() []key.Binding {
	top := over[len(over)-1].(interface{ Actions() []key.Binding }).Actions()
	if _, is := over[len(over)-1].(*inspect.Metrics); is {
		return slices.Concat(top, ofMetrics.Actions(), acts.Actions())
	}
	return top
}
