package process

import (
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// keep keeps the rows that match the filter.
func (l *listing) keep(s *part.Scene) {
	if l.of.filter == nil {
		return
	}
	findings := map[string]map[string][]*cluster.Finding{} // by job and node
	for i := range s.Snap.Jobs {
		if j := &s.Snap.Jobs[i]; j == s.Job || l.of.scope >= OfJobs {
			findings[j.ID] = part.NewHealth(s.Snap, j).ByNode
		}
	}
	subject := &rows.Process{}
	kept := filter.Keep(l.of.filter, &rows.Processes, l.rows, func(r *table.ProcessRow) *rows.Process {
		subject.Set(s.Snap, r.Node, &r.Process)
		subject.Job, subject.Findings = r.Job, findings[r.Job][r.Node.Name]
		return subject
	})
	l.rows = append(l.rows[:0], kept...)
}

// typed gives a message to the prompt. The cursor stays on its process, if that matches.
func (p *Page) typed(msg tea.Msg, s *part.Scene) nav.Answer {
	if !p.filter.Press(msg) {
		return nav.Answer{}
	}
	l := p.listing(s)
	return p.goTo(s, l, p.cursor.At(p.list(s, l)))
}
