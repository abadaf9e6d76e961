package stacks

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Settle adapts the page to the selected job, and to the time on the screen.
func (p *Page) Settle(s *part.Scene) {
	if s.Job != nil && s.Job.ID != p.job {
		p.begin(s.Job.ID)
	}
	switch past := s.Replay || s.Ago != ""; {
	case past:
		if !p.past {
			p.past, p.live = true, p.doc
		}
		d := s.Snap.Stacks[p.job]
		if d == nil || p.doc == nil || !d.Time.Equal(p.doc.Time) {
			p.sheet = nil
		}
		p.doc = d
	case p.past:
		p.past, p.sheet = false, nil
		p.doc, p.live = p.live, nil
	}
	rows := p.listRows()
	isOdd := func(g *rankstacks.Group) bool { return standsOut(g, p.doc, s.Snap, &p.lag) }
	if at := p.seeks.rowIn(rows, isOdd); at >= 0 {
		p.cursor.GoTo(p.cursorList(s, rows), at)
	}
}
