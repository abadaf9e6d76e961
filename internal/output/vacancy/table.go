package vacancy

import (
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
)

// table is text in columns.
type table struct {
	columns []column
	padded  bool // columns are two wider than their headings
	rows    []row
}

type column struct {
	heading string
	right   bool // its cells are flush right
}

type row struct {
	role  draw.Role
	cells []string
}

// gap is between two columns.
const gap = 2

func (t *table) add(role draw.Role, cells ...string) { t.rows = append(t.rows, row{role, cells}) }

// widths returns the widths of the columns.
func (t *table) widths() []int {
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = draw.Width(c.heading)
		if t.padded {
			widths[i] += gap
		}
		for _, r := range t.rows {
			widths[i] = max(widths[i], draw.Width(r.cells[i]))
		}
	}
	return widths
}

// encode returns the table as text without a newline at its end: a heading, a rule, the rows.
func (t *table) encode(theme *draw.Theme) string {
	widths := t.widths()
	total := -gap
	for _, w := range widths {
		total += w + gap
	}
	canvas := draw.New(total, len(t.rows)+2)
	headings, rules := row{role: draw.Strong}, row{role: draw.Faint}
	for i, c := range t.columns {
		headings.cells, rules.cells = append(headings.cells, c.heading),
			append(rules.cells, strings.Repeat("-", widths[i]))
	}
	for y, r := range append([]row{headings, rules}, t.rows...) {
		x := 0
		for i, cell := range r.cells {
			if t.columns[i].right {
				canvas.Right(x, y, widths[i], cell, r.role)
			} else {
				canvas.Left(x, y, widths[i], cell, r.role)
			}
			x += widths[i] + gap
		}
	}
	return string(theme.Encode(nil, canvas))
}
