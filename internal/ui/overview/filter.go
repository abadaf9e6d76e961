package overview

import (
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// matching is the filter of the nodes.
type matching struct{ *footer.FilterPrompt }

func (o *Page) nodeFilter() matching { return matching{o.Filter} }

// isFiltered reports whether the nodes of the scene's job are filtered.
func (m matching) isFiltered(s *part.Scene) bool { return m.On(s.Job.ID) }

// writeTitle writes the number of matching nodes into row 2 from column x, and returns the column after it and a blank.
// Without a filter it writes nothing.
func (m matching) writeTitle(f *part.Frame, x int) int {
	if !m.isFiltered(f.Scene) {
		return x
	}
	text := m.Title(f.Job.ID, len(f.Order), len(f.Job.Nodes), "node", "nodes", f.W-6-2)
	return f.Put(x, 2, " "+text+" ", draw.Strong) + 1
}

// drawNoMatch says, in place of the nodes, that none matches, and names the key that brings them back.
func (m matching) drawNoMatch(f *part.Frame, y int) int {
	f.Left(3, y, f.W-4, m.None(f.Job.ID, "nodes", f.W-4), draw.Text)
	return y + 1
}

// sumName names the total, which the filter does not change: that of the job, or without a job that of all hosts.
func (m matching) sumName(s *part.Scene) string {
	switch isJob := s.Job.ID != ""; {
	case m.isFiltered(s) && isJob:
		return "whole job"
	case m.isFiltered(s):
		return "all hosts"
	case isJob:
		return "JOB"
	}
	return "ALL"
}
