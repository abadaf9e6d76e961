package process

import (
	"cmp"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

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

// act answers the keys that open a dialog about signals.
func (p *Page) act(k tea.KeyPressMsg, s *part.Scene) (a nav.Answer, acts bool) {
	for _, sends := range signals {
		if key.Matches(k, sends.Binding) {
			return p.signal(s, sends.by), true
		}
	}
	if key.Matches(k, keys.Scancel) {
		return p.scancel(s), true
	}
	return nav.Answer{}, false
}

// signal asks whether to send a signal to the process under the cursor, or to those with a tag.
func (p *Page) signal(s *part.Scene, by signal.Signal) nav.Answer {
	at, ok := p.target(s)
	if why := s.Forbidden(); why != "" || !ok {
		return nav.Answer{Taken: true, Notice: why}
	}
	d, first := signal.NewDialog(at, p.targets(s), by, s)
	return p.cover(d, first)
}

// scancel asks what SLURM is to do with the job of the process under the cursor, else with the selected one.
func (p *Page) scancel(s *part.Scene) nav.Answer {
	job, why := s.Job.ID, s.Forbidden()
	if l := p.listing(s); p.scope == OfJobs && len(l.order) > 0 {
		job = cmp.Or(l.at(p.cursor.At(p.list(s, l))).Job, job)
	}
	if why == "" && job == "" {
		why = "these nodes are not a job of SLURM: there is nothing to cancel"
	}
	if why != "" {
		return nav.Answer{Taken: true, Notice: why}
	}
	c, first := signal.NewCancel(job, s)
	return p.cover(c, first)
}
