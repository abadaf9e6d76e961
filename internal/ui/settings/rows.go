package settings

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// row is a line of the page: a setting, or a column of a table.
type row struct {
	what  rowKind
	table rows.ColumnTable
	name  string // title of the setting, key of the column, or a way of news; "": the title of its table
}

// title returns the name of a setting, or of a group of them; "": a row within a group.
func (r row) title() string {
	switch {
	case r.what == oneLine:
		return r.name
	case r.name != "":
		return ""
	case r.what == news:
		return NewsTitle
	}
	return tables[r.table]
}

// isTitle reports whether a line is the title of those below it.
func (r row) isTitle() bool { return (r.what == column || r.what == news) && r.name == "" }

type rowKind uint8

const (
	oneLine rowKind = iota // a setting of the table simple
	column
	news
	nothing // no row matches the search
)

// tables are the titles of the tables.
var tables = map[rows.ColumnTable]string{
	rows.NodeTable: "Columns of a node's GPUs", rows.ProcessTable: "Columns of its processes",
	rows.OverviewTable: "Columns of the overview", rows.RankTable: "Columns of the ranks",
	rows.JobTable: "Columns of the jobs", rows.UserTable: "Columns of the users",
}

// listRows returns the lines of the page that match the search, and the titles above them.
func (p *Page) listRows() (list []row) {
	matches, all := p.search.Matcher(), p.allRows()
	var title *row // nil: it is in the list, or there is none
	for i, r := range all {
		switch {
		case r.isTitle():
			title = &all[i]
		case matches(r.searchText()):
			if title != nil {
				list = append(list, *title)
				title = nil
			}
			list = append(list, r)
		}
	}
	return list
}

// searchText is the text of a line that a search covers.
func (r row) searchText() string {
	switch r.what {
	case column:
		return tables[r.table] + " " + r.name + " " + r.table.Help(r.name)
	case news:
		return NewsTitle + " " + r.name
	}
	return r.name + " " + simpleOf(r).about
}

// allRows returns the lines of the page. Columns that are shown come first, in their order.
func (p *Page) allRows() []row {
	var all []row
	for i := range simple {
		all = append(all, row{name: simple[i].title})
	}
	all = append(all, p.newsRows()...)
	for _, t := range rows.ColumnTables {
		all = append(all, row{what: column, table: t})
		shown := p.Now.shownColumns(t)
		for _, name := range shown {
			all = append(all, row{column, t, name})
		}
		for _, name := range t.Names() {
			if !slices.Contains(shown, name) {
				all = append(all, row{column, t, name})
			}
		}
	}
	return all
}

func (p *Page) cursorList(s *part.Scene) nav.List[row] { return p.listOf(max(s.H-2-top, 1)) }

func (p *Page) listOf(room int) nav.List[row] {
	rows := p.listRows()
	return nav.List[row]{N: len(rows), Room: room, Key: func(i int) row { return rows[i] }}
}

// shownColumns returns the columns of a table that are shown.
func (c *Choices) shownColumns(t rows.ColumnTable) []string {
	if names := c.Columns.At(t).Names(); names != nil {
		return names
	}
	return t.Usual()
}

func (c *Choices) nextValue(r row, by int) {
	if r.what == column {
		c.toggleColumn(r)
		return
	}
	simpleOf(r).move(c, by)
}

// toggleColumn shows or hides a column. The first column of a table and the last remaining one always stay.
func (c *Choices) toggleColumn(r row) {
	names := c.shownColumns(r.table)
	switch at := slices.Index(names, r.name); {
	case r.name == "" || isFixed(r):
	case at < 0:
		c.setColumns(r.table, append(names, r.name))
	case len(names) > 1:
		c.setColumns(r.table, slices.Delete(names, at, at+1))
	}
}

// isFixed reports whether a column names the subject of its table's rows, and therefore always comes first.
func isFixed(r row) bool { return r.table != rows.ProcessTable && r.name == r.table.Names()[0] }

// moveColumn moves a column within the order. Any other row gets its next value.
func (c *Choices) moveColumn(r row, by int) {
	if r.what != column {
		c.nextValue(r, by)
		return
	}
	names := c.shownColumns(r.table)
	at := slices.Index(names, r.name)
	to := at + by
	if at < 0 || to < 0 || to >= len(names) || isFixed(r) || isFixed(row{column, r.table, names[to]}) {
		return
	}
	names[at], names[to] = names[to], names[at]
	c.setColumns(r.table, names)
}

// setColumns sets the columns of a table. The usual ones in their usual order count as no choice.
func (c *Choices) setColumns(t rows.ColumnTable, names []string) {
	if slices.Equal(names, t.Usual()) {
		names = nil
	}
	*c.Columns.At(t) = rows.ColumnsOf(names)
}

// resetRow gives a row the value that it has without settings; for a column, it resets the whole table.
func (c *Choices) resetRow(r row) {
	if r.what == column {
		*c.Columns.At(r.table) = ""
		return
	}
	simpleOf(r).reset(c)
}
