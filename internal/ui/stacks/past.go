package stacks

import (
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Settle turns to the selected job, and to the time on the screen.
func (p *Page) Settle(s *part.Scene) {
	if s.Job != nil && s.Job.ID != p.job {
		p.begin(s.Job.ID)
	}
	switch past := s.Replay || s.Ago != ""; {
	case past:
		if !p.past {
			p.past, p.live = true, p.doc
		}
		p.recall(s.Snap.Stacks[p.job])
	case p.past:
		p.past, p.sheet = false, nil
		p.doc, p.live = p.live, nil
	}
}

// recall shows what was known; nil: nothing.
func (p *Page) recall(d *schema.Stacks) {
	if d == nil || p.doc == nil || !d.Time.Equal(p.doc.Time) {
		p.sheet = nil
	}
	p.doc = d
}
