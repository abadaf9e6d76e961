// Package layout places the columns of a table in the width of a terminal: which columns are shown, how wide they are,
// and their headings. Only the width decides, never a value.
package layout

import (
	"cmp"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows/columns"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Key is the key of the field that a column shows, or the name of a picture.
type Key = string

// Column is a column of a table.
type Column = columns.Column

// lowestPriority is the last place in the order in which columns are added.
const lowestPriority = 14

// Stage is one step in distributing the remaining width: these columns grow together, up to most.
type Stage struct {
	most int
	keys []Key
}

// To is the stage in which columns grow to a width.
func To(most int, keys ...Key) Stage { return Stage{most, keys} }

// Rest is the stage in which a column takes all remaining width.
func Rest(key Key) Stage { return To(unbounded, key) }

const unbounded = 1 << 16

// Layout has the places of the columns of a table.
type Layout map[Key]part.Span

// Fit places the columns in a terminal, from column margin on. It adds columns by priority until one does not fit. The
// remaining width is distributed in stages. Only the width decides.
func Fit(width int, columns []Column, growth []Stage, margin int) Layout {
	l := Layout{}
	left := width - 1 - margin // the last column stays free
	for p, full := 1, false; p <= max(lowestPriority, len(columns)) && !full; p++ {
		for i := range columns {
			switch c := &columns[i]; {
			case c.Priority != p || full:
			case left < c.Gap+c.Least:
				full = true
			default:
				l[c.Key] = part.Span{W: c.Least}
				left -= c.Gap + c.Least
			}
		}
	}
	l.growColumns(left, growth)
	x := margin
	for _, c := range columns {
		if s := l[c.Key]; s.Shown() {
			s.X, s.Gap = x+c.Gap, c.Gap
			x = s.X + s.W
			l[c.Key] = s
		}
	}
	return l
}

// growColumns distributes the remaining width.
func (l Layout) growColumns(left int, growth []Stage) {
	for _, s := range growth {
		shown, width := 0, 0
		for _, k := range s.keys {
			if l[k].Shown() {
				shown, width = shown+1, cmp.Or(width, l[k].W)
			}
		}
		if shown == 0 {
			continue
		}
		by := max(min(left/shown, s.most-width), 0)
		for _, k := range s.keys {
			if s := l[k]; s.Shown() {
				s.W += by
				l[k] = s
			}
		}
		left -= by * shown
	}
}

// Headings writes the titles of the columns of a layout.
func Headings(f *part.Frame, y int, l Layout, columns []Column) {
	for _, c := range columns {
		s, title := l[c.Key], c.Title
		if !s.Shown() {
			continue
		}
		if len(title) > s.W && c.Short != "" {
			title = c.Short
		}
		if c.Right {
			f.Right(s.X, y, s.W, title, draw.Dim)
		} else {
			f.Left(s.X, y, s.W, title, draw.Dim)
		}
	}
}
