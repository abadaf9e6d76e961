package table

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Sheet is a table that can be sorted: its columns and their places.
type Sheet struct {
	Columns []Column
	Layout  Layout
}

// Head draws the headings in row y, with a mark after the sort column.
func (t *Sheet) Head(f *part.Frame, y int, by string, down bool) {
	DrawHeadings(f, y, t.Layout, t.Columns)
	t.markHeading(f, y, by, down)
}

// markHeading writes the heading of a column with a mark after it.
func (t *Sheet) markHeading(f *part.Frame, y int, by ColumnKey, down bool) {
	at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Key == by })
	if at < 0 || !t.Layout[by].Shown() {
		return
	}
	c, s := &t.Columns[at], t.Layout[by]
	title := c.Title + "↑"
	if down {
		title = c.Title + "↓"
	}
	x := s.X
	if c.Right {
		x = s.X + s.W - draw.Width(title)
	}
	f.Put(x, y, title, draw.Strong)
}

// At returns the key of the column whose heading is in column x of the screen; "": none.
func (t *Sheet) At(x int) string {
	for key, s := range t.Layout {
		if s.Shown() && x >= s.X-s.Gap && x < s.X+s.W {
			return key
		}
	}
	return ""
}
