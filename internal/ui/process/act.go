package process

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/signal"
)

// signals are the signals that have a key; 0: the user is asked.
var signals = []struct {
	key.Binding
	by signal.Signal
}{{keys.SignalInt, signal.Interrupt}, {keys.SignalTerm, signal.Terminate}, {keys.SignalKill, signal.Kill}, {keys.SignalAny, 0}}

// subject is what the keys that act are about.
type subject struct {
	at     *tally.Target // nil: there is no process
	tagged []tally.Target
	job    string // "": none
}

// subject is the process under the cursor, and those with a tag.
func (p *Page) subject(s *part.Scene) subject {
	on := subject{tagged: p.targets(s)}
	if t, ok := p.target(s); ok {
		on.at, on.job = &t, listed(s, t.Job)
	}
	if on.job == "" && p.of(s) < OfJobs { // that of a relative is not known
		on.job = s.Job.ID
	}
	return on
}

// listed is the ID of a job of the user's, and "" for any other: a node may name any job for a process.
func listed(s *part.Scene, id string) string {
	if slices.ContainsFunc(s.Snap.Jobs, func(j cluster.JobView) bool { return j.ID == id }) {
		return id
	}
	return ""
}

// act answers the keys that open a dialog about signals.
func (p *Page) act(k tea.KeyPressMsg, s *part.Scene, on func() subject) (a nav.Answer, acts bool) {
	for _, sends := range signals {
		if key.Matches(k, sends.Binding) {
			return p.signal(s, sends.by, on()), true
		}
	}
	if key.Matches(k, keys.Scancel) {
		return p.scancel(s, on().job), true
	}
	return nav.Answer{}, false
}

// signal asks whether to send a signal.
func (p *Page) signal(s *part.Scene, by signal.Signal, on subject) nav.Answer {
	if why := s.Forbidden(); why != "" || on.at == nil {
		return nav.Answer{Taken: true, Notice: why}
	}
	d, first := signal.NewDialog(*on.at, on.tagged, by, s)
	return p.cover(d, first)
}

// scancel asks what SLURM is to do with a job.
func (p *Page) scancel(s *part.Scene, job string) nav.Answer {
	why := s.Forbidden()
	switch {
	case why != "" || job != "":
	case s.Job.ID == "":
		why = "these nodes are not a job of SLURM: there is nothing to cancel"
	default:
		why = "this process is not known to be of one of your running jobs: there is nothing to cancel"
	}
	if why != "" {
		return nav.Answer{Taken: true, Notice: why}
	}
	c, first := signal.NewCancel(job, s)
	return p.cover(c, first)
}
