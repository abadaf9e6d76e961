package table

import (
	"cmp"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// The layout says which columns of a table are shown and how wide they are. Only the width decides, never a value.

// ColumnKey is the key of the field that a column shows, or the name of a picture.
type ColumnKey = string

// Column is a column of a table.
type Column = rows.Column

// lowestPriority is the last place in the order in which columns are added.
const lowestPriority = 14

// GrowthStage is one step in distributing the remaining width: these columns grow together, up to most.
type GrowthStage struct {
	most int
	keys []ColumnKey
}

// GrowTo is the stage in which columns grow to a width.
func GrowTo(most int, keys ...ColumnKey) GrowthStage { return GrowthStage{most, keys} }

// GrowRest is the stage in which a column takes all remaining width.
func GrowRest(key ColumnKey) GrowthStage { return GrowTo(unbounded, key) }

const unbounded = 1 << 16

// Layout has the places of the columns of a table.
type Layout map[ColumnKey]part.Span

// FitColumns places the columns in a terminal, from column margin on. It adds columns by priority until one does not
// fit. The remaining width is distributed in stages. Only the width decides.
func FitColumns(width int, columns []Column, growth []GrowthStage, margin int) Layout {
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
func (l Layout) growColumns(left int, growth []GrowthStage) {
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

// DrawHeadings writes the titles of the columns of a layout.
func DrawHeadings(f *part.Frame, y int, l Layout, columns []Column) {
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
