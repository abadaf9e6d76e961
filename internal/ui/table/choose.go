package table

import (
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
	if t == columns.Processes {
		keys = []col{colNode, colJob} // if there are several
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

// behind returns the column after the one that names the row's subject.
func behind(s part.Span) int { return s.X + s.W + chosenGap }
