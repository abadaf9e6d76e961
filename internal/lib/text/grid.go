package text

import (
	"slices"
	"strings"
)

// TableGap is the number of blank terminal columns between two columns of a table.
const TableGap = 2

// Column is a column of a Table.
type Column struct {
	Head    string
	Right   bool // its cells are flush right
	Wide    int  // its least width
	Spare   int  // a narrow output leaves it out, the lowest number first; 0: never
	Shrinks int  // its cells are cut to this width before it is left out; 0: they are not
}

// Table is text in columns.
type Table struct {
	Columns []Column
	Rows    [][]string
	Width   func(string) int         // measures a text
	Cut     func(string, int) string // cuts a text to a width; nil: no column shrinks
}

// Lines returns the headings and the rows.
func (t *Table) Lines() [][]string {
	heads := make([]string, len(t.Columns))
	for i := range t.Columns {
		heads[i] = t.Columns[i].Head
	}
	return append([][]string{heads}, t.Rows...)
}

// Widths returns the widths of the columns.
func (t *Table) Widths() []int {
	widths := make([]int, len(t.Columns))
	for i := range t.Columns {
		widths[i] = t.Columns[i].Wide
	}
	for _, line := range t.Lines() {
		for i, cell := range line {
			widths[i] = max(widths[i], t.Width(cell))
		}
	}
	return widths
}

// Total returns the width of the table, with a gap for each column.
func (t *Table) Total() (total int) {
	for _, w := range t.Widths() {
		total += w + TableGap
	}
	return total
}

// Fit returns the table without the columns that do not fit.
func (t *Table) Fit(room int) *Table {
	fitting := *t
	fitting.Columns, fitting.Rows = slices.Clone(t.Columns), make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		fitting.Rows[i] = slices.Clone(row)
	}
	for spare := 1; ; spare++ {
		left := slices.IndexFunc(fitting.Columns, func(c Column) bool { return c.Spare >= spare })
		over := fitting.Total() - room
		if left < 0 || over <= 0 {
			return &fitting
		}
		if at := slices.IndexFunc(fitting.Columns, func(c Column) bool { return c.Spare == spare }); at >= 0 {
			fitting.narrow(at, over)
		}
	}
}

// narrow makes a column narrower if that is enough, and otherwise leaves it out.
func (t *Table) narrow(at, over int) {
	most := t.Widths()[at] - over
	if shrinks := t.Columns[at].Shrinks; shrinks > 0 && most >= shrinks {
		for _, row := range t.Rows {
			row[at] = t.Cut(row[at], most)
		}
		return
	}
	t.Columns = slices.Delete(t.Columns, at, at+1)
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], at, at+1)
	}
}

// Blocks cuts a table that is too wide into blocks: each has the first column, and as many others as fit. 0 means
// unlimited room.
func (t *Table) Blocks(room int) (blocks [][]int) {
	widths := t.Widths()
	block, used := []int{0}, widths[0]+TableGap
	for i := 1; i < len(widths); i++ {
		if room > 0 && used+widths[i]+TableGap > room && len(block) > 1 {
			blocks = append(blocks, block)
			block, used = []int{0}, widths[0]+TableGap
		}
		block, used = append(block, i), used+widths[i]+TableGap
	}
	return append(blocks, block)
}

// Blank returns the spaces before and after a cell in a column of that width.
func (t *Table) Blank(column int, cell string, width int) (before, after string) {
	blank := strings.Repeat(" ", max(width-t.Width(cell), 0))
	if t.Columns[column].Right {
		return blank, ""
	}
	return "", blank
}
