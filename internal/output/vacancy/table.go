package vacancy

import (
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// coloredTable is a table whose rows have colors.
type coloredTable struct {
	text.Table
	roles []draw.Role // of the rows
}

func newTable(columns []text.Column) *coloredTable {
	return &coloredTable{Table: text.Table{Columns: columns, Width: draw.Width}}
}

func (t *coloredTable) addRow(role draw.Role, cells ...string) {
	t.Rows, t.roles = append(t.Rows, cells), append(t.roles, role)
}

// encodeTable returns the table as text without a newline at its end: a heading, a rule, the rows.
func (t *coloredTable) encodeTable(theme *draw.Theme) string {
	widths := t.Widths()
	canvas := draw.New(t.Total()-text.TableGap, len(t.Rows)+2)
	rules := make([]string, len(widths))
	for i, w := range widths {
		rules[i] = strings.Repeat("-", w)
	}
	roles := append([]draw.Role{draw.Strong, draw.Faint}, t.roles...)
	for y, line := range slices.Insert(t.Lines(), 1, rules) {
		x := 0
		for i, cell := range line {
			if t.Columns[i].Right {
				canvas.Right(x, y, widths[i], cell, roles[y])
			} else {
				canvas.Left(x, y, widths[i], cell, roles[y])
			}
			x += widths[i] + text.TableGap
		}
	}
	return string(theme.Encode(nil, canvas))
}
