package overview

import (
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// filtered reports whether the nodes of the scene's job are filtered.
func (o *Page) filtered(s *part.Scene) bool { return o.Filter.On(s.Job.ID) }

// filterTitle writes the number of matching nodes into row 2 from column x, and returns the column after it.
func (o *Page) filterTitle(f *part.Frame, x int) int {
	text := o.Filter.Title(f.Job.ID, len(f.Order), len(f.Job.Nodes), "node", "nodes", f.W-6-2)
	return f.Put(x, 2, " "+text+" ", draw.Strong)
}

// noMatch says in place of the nodes that none matches, and names the key that brings them back.
func (o *Page) noMatch(f *part.Frame, y int) int {
	f.Left(3, y, f.W-4, o.Filter.None(f.Job.ID, "nodes", f.W-4), draw.Text)
	return y + 1
}

// sumName is the name of the total of the job, which the filter does not change.
func (o *Page) sumName(s *part.Scene) string {
	if o.filtered(s) {
		return "whole job"
	}
	return "JOB"
}
