package table

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// sheet is a table that can be sorted: its columns and their places.
type sheet struct {
	columns []column
	layout  layout
}

// Head draws the headings in row y, with a mark after the one that sorts the rows.
func (t *sheet) Head(f *part.Frame, y int, by string, down bool) {
	headings(f, y, t.layout, t.columns)
	t.mark(f, y, by, down)
}

// mark writes the heading of a column with a mark after it.
func (t *sheet) mark(f *part.Frame, y int, by col, down bool) {
	at := slices.IndexFunc(t.columns, func(c column) bool { return c.key == by })
	if at < 0 || !t.layout[by].Shown() {
		return
	}
	c, s := &t.columns[at], t.layout[by]
	title := c.title + "↑"
	if down {
		title = c.title + "↓"
	}
	x := s.X
	if c.right {
		x = s.X + s.W - draw.Width(title)
	}
	f.Put(x, y, title, draw.Strong)
}

// At returns the key of the column whose heading is in column x of the screen; "": none.
func (t *sheet) At(x int) string {
	for key, s := range t.layout {
		if s.Shown() && x >= s.X-s.Gap && x < s.X+s.W {
			return key
		}
	}
	return ""
}
