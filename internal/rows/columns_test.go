package rows

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

// Names are words that a list in the settings can hold. No table has a name twice, and no caller can change them.
func TestNames(t *testing.T) {
	word := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	for _, table := range ColumnTables {
		all := table.Names()
		if len(all) < 2 || !word.MatchString(string(table)) {
			t.Errorf("table %q has %d columns", table, len(all))
		}
		for i, name := range all {
			if !word.MatchString(name) || slices.Contains(all[:i], name) {
				t.Errorf("%s: %q is no word, or is there twice", table, name)
			}
		}
		all[0] = "else"
		if table.Names()[0] == "else" {
			t.Errorf("the names of %s were changed", table)
		}
	}
	if len(allColumns) != len(ColumnTables) || ColumnTable("gpus").Names() != nil {
		t.Errorf("%d of %d tables have columns, or one that there is not", len(allColumns), len(ColumnTables))
	}
}

// By default the subject of a row comes first. Saved settings and docs rely on the order.
func TestTheUsualOrder(t *testing.T) {
	for table, want := range map[ColumnTable][]string{NodeTable: {"gpu", "rank", "gpu_name"},
		ProcessTable:  {"gpu", "pid", "type"},
		OverviewTable: {"node", "gpus", "util_mean_percent"}, RankTable: {"rank", "node", "gpu"},
		JobTable:  {"state", "job", "name"},
		UserTable: {"user", "nodes", "gpus"}} {
		if got := table.Names(); !slices.Equal(got[:3], want) {
			t.Errorf("%s begins with %q, want %q", table, got[:3], want)
		}
	}
}

// A List keeps names in their order. No names are the default, which is no list of names.
func TestList(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  ColumnList
	}{{nil, ""}, {[]string{}, ""}, {[]string{"util"}, "util"},
		{[]string{"util", "gpu", "mem_bar"}, "util,gpu,mem_bar"}} {
		l := ColumnsOf(test.names)
		if back := l.Names(); l != test.want || !slices.Equal(back, test.names) || l == "" && back != nil {
			t.Errorf("%q is the list %q, which is %q, want %q", test.names, l, back, test.want)
		}
	}
	for _, table := range ColumnTables {
		turned := table.Names()
		for range turned {
			turned = append(turned[1:], turned[0])
			if got := ColumnsOf(turned).Names(); !slices.Equal(got, turned) {
				t.Errorf("%s: %q comes back as %q", table, turned, got)
			}
		}
	}
}

// Each table has a list of its own, and begins with the default.
func TestChosen(t *testing.T) {
	var c ChosenColumns
	for _, table := range ColumnTables {
		if l := c.At(table); *l != "" {
			t.Errorf("%s begins with %q", table, *l)
		}
		*c.At(table) = ColumnList(table)
	}
	if want := (ChosenColumns{Node: "node", Processes: "processes", Overview: "overview", Ranks: "ranks", Jobs: "jobs",
		Users: "users"}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
}

// A column that is a field of filters, too, has the same names there.
func TestNamesOfFields(t *testing.T) {
	nodes, processes := filter.Of(&Nodes), filter.Of(&Processes)
	for table, fields := range map[ColumnTable]filter.Fields{
		NodeTable: append(slices.Clone(nodes), processes...), ProcessTable: processes, OverviewTable: nodes,
		RankTable: processes,
		JobTable:  filter.Of(&Jobs), UserTable: filter.Of(&Users),
	} {
		for _, f := range fields {
			for _, c := range table.Columns() {
				if slices.Contains(c.Also, f.Name) || c.Key != f.Name && slices.Contains(f.Also, c.Key) {
					t.Errorf("columns.%s: %s is called %s in filters", table, c.Key, f.Name)
				}
			}
		}
	}
	for name, want := range map[string]string{"sm": "sm_percent", "sm_percent": "sm_percent", "threads": "threads",
		"SM": "", "node": ""} {
		if got := ProcessTable.Find(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// A spare column shows a field that has one value in each row, or a metric; all spare ones follow the usual ones.
func TestSpare(t *testing.T) {
	has := map[ColumnTable]func(key string) bool{NodeTable: sortable(&Processes), OverviewTable: sortable(&Nodes),
		JobTable: sortable(&Jobs), UserTable: sortable(&Users)} // the others have code for all
	for _, table := range ColumnTables {
		if usual := table.Usual(); !slices.Equal(table.Names()[:len(usual)], usual) {
			t.Errorf("%s: the spare columns of %q are not behind the usual ones, %q", table, table.Names(), usual)
		}
		titled := map[string]string{}
		for _, c := range table.All() {
			if other := titled[c.Title]; other != "" && c.Title != "" {
				t.Errorf("%s: %s and %s have the title %q", table, other, c.Key, c.Title)
			}
			titled[c.Title] = c.Key
			if c.Title == "" && c.Key != "gpus" {
				t.Errorf("%s: %s has no Title, and no field with that key has one", table, c.Key)
			}
			if c.Spare && c.Least == 0 {
				t.Errorf("%s: %s has no Least, and no field with that key has a Width", table, c.Key)
			}
			if c.Spare && c.Least > 0 && c.Least < draw.Width(c.Title) {
				t.Errorf("%s: %s has %d columns, and its title %q needs %d: give the column a Least, or its field a "+
					"Width, of that", table, c.Key, c.Least, c.Title, draw.Width(c.Title))
			}
			if c.Spare && c.Priority != 0 {
				t.Errorf("%s: %s is Spare and has a Priority, which nothing reads: the user's list has the order",
					table, c.Key)
			}
			if needs := has[table]; c.Spare && c.Unit == "" && needs != nil && !needs(c.Key) {
				t.Errorf("%s: %s is the key of no field with one value in each row, and has no Unit", table, c.Key)
			}
			for _, r := range c.Title + c.Short + c.Help + c.Unit {
				if draw.ASCII(r) == '?' && r != '?' {
					t.Errorf("%s: %s has %q, which an ASCII terminal shows as ?", table, c.Key, r)
				}
			}
		}
	}
}

// sortable reports for a key whether it is that of a field with one value in each row.
func sortable[Row any](of *field.Table[Row]) func(key string) bool {
	return func(key string) bool {
		return slices.ContainsFunc(of.Fields, func(f field.Field[Row]) bool { return f.Key == key && f.Sortable() })
	}
}

// The columns that are shown by default are not spare.
func TestUsual(t *testing.T) {
	usual := ProcessTable.Usual()
	if slices.Contains(usual, "io_read_bytes_per_second") || !slices.Contains(usual, "threads") ||
		!slices.Equal(ProcessTable.Names()[:len(usual)], usual) {
		t.Errorf("%q of %q", usual, ProcessTable.Names())
	}
}

// The page about columns has the table of all columns.
func TestThePage(t *testing.T) {
	const path, mark = "../../docs/COLUMNS.md", "-update. -->\n"
	golden.After(t, path, mark, page())
}

// page are the tables of all columns.
func page() string {
	var b strings.Builder
	for _, table := range ColumnTables {
		b.WriteString("\n| `columns." + string(table) + "` | | other names |\n|---|---|---|\n")
		for _, c := range table.Columns() {
			help, also := c.Help, ""
			if c.Spare {
				help += "; only where it is chosen"
			}
			if len(c.Also) > 0 {
				also = "`" + strings.Join(c.Also, "`, `") + "`"
			}
			b.WriteString("| `" + c.Key + "` | " + help + " | " + also + " |\n")
		}
	}
	return b.String()
}
