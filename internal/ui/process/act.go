package process

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/inspect"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/signal"
)

// signals are the signals with a key; 0: the dialog asks for one.
var signals = []struct {
	key.Binding
	by signal.Signal
}{{keys.SignalInt, signal.Interrupt}, {keys.SignalTerm, signal.Terminate}, {keys.SignalKill, signal.Kill},
	{keys.SignalAny, 0}}

// act answers the keys that open a dialog about signals.
func (over *overlays) act(k tea.KeyPressMsg, s *part.Scene, on func() subject) (a nav.Answer, acts bool) {
	for _, sends := range signals {
		if key.Matches(k, sends.Binding) {
			return over.signal(s, sends.by, on()), true
		}
	}
	if key.Matches(k, keys.Scancel) {
		return over.scancel(s, on().job), true
	}
	return nav.Answer{}, false
}

// signal asks whether to send a signal.
func (over *overlays) signal(s *part.Scene, by signal.Signal, on subject) nav.Answer {
	if why := s.Forbidden(); why != "" || on.at == nil {
		return nav.Answer{Taken: true, Notice: why}
	}
	d, first := signal.NewDialog(*on.at, on.tagged, by, s)
	return over.open(d, first)
}

// scancel asks the user what SLURM should do with a job.
func (over *overlays) scancel(s *part.Scene, job string) nav.Answer {
	why := s.Forbidden()
	switch {
	case why != "" || job != "":
	case s.Job.ID == "":
		why = "these nodes are not a job of SLURM: there is nothing to cancel"
	default:
		why = "this process does not belong to one of your running jobs"
	}
	if why != "" {
		return nav.Answer{Taken: true, Notice: why}
	}
	c, first := signal.NewCancel(job, s)
	return over.open(c, first)
}

// inspect answers the keys that show something about a process, and the key that copies.
func (over *overlays) inspect(k tea.KeyPressMsg, s *part.Scene, t tally.Target) (a nav.Answer, did bool) {
	switch {
	case key.Matches(k, keys.Environ):
		o, first := inspect.NewEnviron(t)
		return over.open(o, first), true
	case key.Matches(k, keys.Inspect):
		o, first := inspect.NewDetails(t)
		return over.open(o, first), true
	case key.Matches(k, keys.CopyMenu):
		o, first := inspect.NewCopy(t, s.NodeOf(t.Node).Route.Door, uuid(s, &t))
		return over.open(o, first), true
	case key.Matches(k, keys.Metrics) && over.on() == keys.OnProcesses:
		o, first := inspect.NewMetrics(t)
		return over.open(o, first), true
	}
	return nav.Answer{}, false
}
