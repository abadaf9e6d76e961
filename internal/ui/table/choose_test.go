package table

import (
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/rows"
)

// tables are the columns and the layout of each table that can be chosen.
var tables = map[rows.ColumnTable]struct {
	all []Column
	of  func(width int, list rows.ColumnList) Layout
}{
	rows.NodeTable: {gpuColumns, func(w int, l rows.ColumnList) Layout { return gpuLayout(w, true, 0, l) }},
	rows.ProcessTable: {nodesProcessColumns,
		func(w int, l rows.ColumnList) Layout { return processLayout(w, 0, false, false, l, 0) }},
	rows.OverviewTable: {nodeColumns, func(w int, l rows.ColumnList) Layout { return nodeLayout(w, 8, false, l) }},
	rows.RankTable: {rankColumns[1:],
		func(w int, l rows.ColumnList) Layout { return rankLayout(w, 0, false, l) }},
	rows.JobTable:  {jobColumns, jobLayout},
	rows.UserTable: {userColumns, userLayout},
}

// Each name in the settings is a column of its table, in the same order.
func TestEachNameIsAColumn(t *testing.T) {
	for name, table := range tables {
		var all []col
		for _, c := range table.all {
			all = append(all, c.Key)
			if c.Key != colCells && (c.Title == "" || c.Least == 0) {
				t.Errorf("%s: %s has no Title or no Least, and no field with that key gives it one", name, c.Key)
			}
		}
		if !slices.Equal(name.Names(), all) {
			t.Errorf("%s: the names %q, want %q", name, name.Names(), all)
		}
	}
}

// Chosen columns stand in their order, come in by it, stay apart and within the width; those that are not listed stay
// out.
func TestChosenColumns(t *testing.T) {
	for name, table := range tables {
		noWidth := func(key string) bool { // TestEachNameIsAColumn says so
			return slices.ContainsFunc(table.all, func(c rows.Column) bool {
				return c.Key == key && c.Key != colCells && c.Least == 0
			})
		}
		for _, list := range [][]string{
			name.Names()[:3], {name.Names()[4], name.Names()[1]}, slices.Sorted(slices.Values(name.Names())),
			reversed(name.Names()),
		} {
			want := list
			if first := name.Names()[0]; name != rows.ProcessTable {
				want = append([]string{first},
					slices.DeleteFunc(slices.Clone(list), func(n string) bool { return n == first })...)
			}
			want = slices.DeleteFunc(slices.Clone(want), noWidth)
			for w := 1; w <= 350; w++ {
				l, x, shown, ended := table.of(w, rows.ColumnsOf(list)), 0, 0, false
				for _, n := range want {
					s := l[n]
					switch {
					case !s.Shown():
						ended = true
						continue
					case ended:
						t.Fatalf("%s %q at %d: %s comes in before those ahead of it", name, list, w, n)
					case s.X < x || s.X+s.W > w-1:
						t.Fatalf("%s %q at %d: %s spans %d…%d, behind %d", name, list, w, n, s.X, s.X+s.W, x)
					}
					x, shown = s.X+s.W+1, shown+1
				}
				for k := range l {
					if l[k].Shown() {
						shown--
					}
				}
				if shown != 0 {
					t.Fatalf("%s %q at %d: columns that are not listed are there", name, list, w)
				}
				if w == 350 && ended {
					t.Errorf("%s %q: not all come in", name, list)
				}
			}
		}
	}
}

func reversed(names []string) []string {
	slices.Reverse(names)
	return names
}

// If all columns fit, the list of all is the usual layout.
func TestTheUsualOrderIsTheUsualLayout(t *testing.T) {
	for name, table := range tables {
		usual, chosen := table.of(300, ""), table.of(300, rows.ColumnsOf(name.Usual()))
		for _, k := range name.Names() {
			if usual[k] != chosen[k] {
				t.Errorf("%s: %s is at %+v, by default at %+v", name, k, chosen[k], usual[k])
			}
		}
	}
}

// If there are several nodes or jobs, the node or job of a process comes before the chosen columns, and does not touch
// a tag.
func TestPlacesStayAheadOfChosenColumns(t *testing.T) {
	for _, test := range []struct {
		nodes, jobs bool
		want        []col
	}{
		{false, false, []col{colCommand, colGPU}}, {true, false, []col{colNode, colCommand, colGPU}},
		{false, true, []col{colJob, colCommand, colGPU}}, {true, true, []col{colNode, colJob, colCommand, colGPU}},
	} {
		l := processLayout(120, 0, test.nodes, test.jobs, "command,gpu", 0)
		var got []col
		for k, s := range l {
			if s.Shown() {
				got = append(got, k)
			}
		}
		slices.SortFunc(got, func(a, b col) int { return l[a].X - l[b].X })
		if !slices.Equal(got, test.want) || l[got[0]].X <= marks {
			t.Errorf("nodes %t, jobs %t: %v, want %v; the first at %d", test.nodes, test.jobs, got, test.want,
				l[got[0]].X)
		}
	}
}

// A click on a heading sorts by that column wherever it stands; what is left of them all sorts by place.
func TestOrderAtChosenColumns(t *testing.T) {
	list := &ProcessList{Sheet: Sheet{Columns: processColumns,
		Layout: processLayout(120, 0, false, false, "gpu,command,pid,cpu_percent", 0)}}
	for _, test := range []struct {
		x  int
		by string
	}{
		{0, "gpu"}, {list.Layout[colGPU].X, "gpu"}, {list.Layout[colCommand].X, "command"},
		{list.Layout[colPID].X, "pid"}, {list.Layout[colCPU].X, "cpu_percent"}, {119, ""},
	} {
		if by := list.At(test.x); by != test.by {
			t.Errorf("column %d: by %q", test.x, by)
		}
	}
	if x := list.readingsStart(120); x != list.Layout[colCommand].X {
		t.Errorf("the readings begin at %d", x)
	}
}

// In a tree other columns give way to the commands, unless the user has chosen the columns.
func TestTreeLeavesRoom(t *testing.T) {
	nodes := []*cluster.Node{{Name: "gpu-n01"}, {Name: "gpu-n02"}}
	for w, want := range map[int]int{80: 30, 100: 40, 120: 40, 200: 40} {
		if got := NewProcessTree(w, nodes, true, 0, "").Room(); got < want {
			t.Errorf("in %d columns a command has %d, want %d", w, got, want)
		}
	}
	if list, tree := NewProcessList(120, nodes, true, 0, "gpu,pid,user,rank,command"),
		NewProcessTree(120, nodes, true, 0, "gpu,pid,user,rank,command"); list.Room() != tree.Room() {
		t.Error("chosen columns give way")
	}
}
