package table

import (
	"maps"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// ChooseColumns returns the columns of a list, in its order, which is also the order in which they are added as the
// terminal gets wider; all columns if the list is empty. The columns that name the row's subject (a GPU, a node) always
// come first: a sentence may follow them in place of cells. Without first, this is the first of all columns.
func ChooseColumns(all []Column, list rows.ColumnList, first ...ColumnKey) []Column {
	names := list.Names()
	if names == nil {
		return slices.DeleteFunc(slices.Clone(all), func(c Column) bool { return c.Spare })
	}
	keys := first
	if first == nil {
		keys = []ColumnKey{all[0].Key}
	}
	for _, k := range names {
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	var chosen []Column
	before := -1
	for _, k := range keys {
		at := slices.IndexFunc(all, func(c Column) bool { return c.Key == k })
		if at < 0 {
			continue
		}
		c := all[at]
		c.Priority = len(chosen) + 1
		switch {
		case len(chosen) == 0:
			c.Gap = 0
		case at != before+1:
			c.Gap = max(c.Gap, rows.ColumnGap)
		}
		chosen, before = append(chosen, c), at
	}
	return chosen
}

// Gap is for a row that has only some columns, and a sentence in place of the others. It returns where the sentence
// begins, and the columns before it.
func (l Layout) Gap(has ...ColumnKey) (x int, ahead Layout) {
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
		return end + rows.ColumnGap, l
	}
	ahead = maps.Clone(l)
	maps.DeleteFunc(ahead, func(_ ColumnKey, s part.Span) bool { return s.X > x })
	return x + 1, ahead
}

// BehindSubject returns the column after the name of the row's subject.
func BehindSubject(s part.Span) int { return s.X + s.W + rows.ColumnGap }
