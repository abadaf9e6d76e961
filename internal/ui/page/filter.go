package page

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// typing says that the filter's prompt has the keyboard. It is for one job: when that ends, its prompt does.
func (o *Overview) typing(s *part.Scene) bool { return o.prompt != nil && o.of == s.Job.ID }

func (o *Overview) filtered(s *part.Scene) bool { return o.filters[s.Job.ID] != "" }

// edit gives the message to the prompt. What is typed filters at once.
func (o *Overview) edit(msg tea.Msg) bool {
	taken, end := o.prompt.press(msg)
	switch end {
	case stillOpen:
		o.filters[o.of] = o.prompt.text()
	case kept:
		o.prompt = nil
	case cancelled:
		o.prompt = nil
		delete(o.filters, o.of)
	}
	return taken
}

// filterTitle says in row 2 from column x what the filter leaves, and returns the column behind.
func (o *Overview) filterTitle(f *part.Frame, x int) int {
	all := len(f.Job.Nodes)
	text := " " + strconv.Itoa(len(f.Order)) + " of " + part.Plural(all, "node matches", "nodes match") + " /" + o.filters[f.Job.ID]
	return f.Put(x, 2, draw.Clip(text, min(f.W-6, filterWide))+" ", draw.Strong)
}

// filterWide is the room for what the filter leaves.
const filterWide = 60

// noMatch says in place of the nodes that none is left, and what brings them back.
func (o *Overview) noMatch(f *part.Frame, y int) int {
	way := ": / and then Esc clears the filter"
	if o.typing(f.Scene) {
		way = ": Esc clears the filter"
	}
	text := "no node matches /" + draw.Clip(o.filters[f.Job.ID], max(f.W-4-draw.Width(way)-len("no node matches /"), 8))
	f.Left(3, y, f.W-4, text+way, draw.Text)
	return y + 1
}

// sumName is the name of the sum over the job, which the filter does not change.
func (o *Overview) sumName(s *part.Scene) string {
	if o.filtered(s) {
		return "whole job"
	}
	return "JOB"
}
