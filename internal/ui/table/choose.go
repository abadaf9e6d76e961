package table

import (
	"maps"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/columns"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// chosenGap is the gap between columns that are not neighbors by default.
const chosenGap = 2

// choose returns the columns of a list, in its order, which is also the order in which they come in; all columns if the
// list is empty. The column that names the row's subject (a GPU, a node) always comes first: sentences follow it in
// place of cells. Processes on several nodes, or of several jobs, begin with the node or the job.
func choose(all []column, t columns.Table, list columns.List) []column {
	names := list.Names()
	if names == nil {
		return slices.DeleteFunc(slices.Clone(all), func(c column) bool { return c.spare })
	}
	keys := []col{all[0].key}
	switch t {
	case columns.Processes:
		keys = []col{colNode, colJob} // if there are several
	case columns.Ranks:
		keys = []col{colProgram, colRank} // likewise
	}
	for _, k := range names {
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	var chosen []column
	before := -1
	for _, k := range keys {
		at := slices.IndexFunc(all, func(c column) bool { return c.key == k })
		if at < 0 {
			continue
		}
		c := all[at]
		c.priority = len(chosen) + 1
		switch {
		case len(chosen) == 0:
			c.gap = 0
		case at != before+1:
			c.gap = max(c.gap, chosenGap)
		}
		chosen, before = append(chosen, c), at
	}
	return chosen
}

// gap returns where the sentence of a row begins that has only some columns: in place of the first of the others; and
// the columns ahead of the sentence.
func (l layout) gap(has ...col) (x int, ahead layout) {
	end := 0
	x = unbounded
	for k, s := range l {
		switch {
		case !s.Shown():
		case slices.Contains(has, k):
			end = max(end, s.X+s.W)
		default:
			x = min(x, s.X)
		}
	}
	if x == unbounded {
		return end + chosenGap, l
	}
	ahead = maps.Clone(l)
	maps.DeleteFunc(ahead, func(_ col, s part.Span) bool { return s.X > x })
	return x + 1, ahead
}

// behind returns the column after the one that names the row's subject.
func behind(s part.Span) int { return s.X + s.W + chosenGap }
