package rows

import (
	"slices"
	"strings"
)

// A column is one row here: its name in the settings, and how a screen shows it. A column that shows a field has the
// key of that field, and takes its title, width and description. A spare column needs no code. Everything here is a
// constant or a function of its arguments, so it may be used concurrently. Package config checks the lists of columns,
// and package table draws the columns.

// ColumnTable is a table whose columns can be chosen, by its name in the settings.
type ColumnTable string

// The tables.
const (
	NodeTable     ColumnTable = "node"      // the GPUs of a node
	ProcessTable  ColumnTable = "processes" // the processes of a node
	OverviewTable ColumnTable = "overview"  // the nodes of a job
	RankTable     ColumnTable = "ranks"     // the ranks of a job
	JobTable      ColumnTable = "jobs"      // all jobs
	UserTable     ColumnTable = "users"     // the users who have processes on the nodes
)

// ColumnTables lists the tables.
var ColumnTables = []ColumnTable{NodeTable, ProcessTable, OverviewTable, RankTable, JobTable, UserTable}

// allColumns has the columns of each table, in their usual order, the spare ones last.
var allColumns = map[ColumnTable][]Column{NodeTable: ofGPUs, ProcessTable: ofProcesses(), OverviewTable: ofNodes,
	RankTable: ofRanks(), JobTable: ofJobs, UserTable: ofUsers}

// Columns returns the columns of a table that can be chosen.
func (t ColumnTable) Columns() []Column {
	return slices.DeleteFunc(t.All(), func(c Column) bool { return c.ByItself })
}

// All returns all columns of a table, as it is drawn.
func (t ColumnTable) All() []Column { return slices.Clone(allColumns[t]) }

// Names returns the names of the columns of a table.
func (t ColumnTable) Names() []string { return t.keysWhere(func(c *Column) bool { return true }) }

// Usual returns the names of the columns that are shown by default.
func (t ColumnTable) Usual() []string { return t.keysWhere(func(c *Column) bool { return !c.Spare }) }

func (t ColumnTable) keysWhere(which func(c *Column) bool) (names []string) {
	for i := range allColumns[t] {
		if c := &allColumns[t][i]; !c.ByItself && which(c) {
			names = append(names, c.Key)
		}
	}
	return names
}

// Help describes a column.
func (t ColumnTable) Help(key string) string {
	for i := range allColumns[t] {
		if c := &allColumns[t][i]; c.Key == key {
			return c.Help
		}
	}
	return ""
}

// Find returns the key of the column with a present or former name; "": there is none.
func (t ColumnTable) Find(name string) string {
	for i := range allColumns[t] {
		if c := &allColumns[t][i]; !c.ByItself && (c.Key == name || slices.Contains(c.Also, name)) {
			return c.Key
		}
	}
	return ""
}

// ColumnList is an ordered selection of a table's columns: keys with commas between them. An empty List means the usual
// columns.
type ColumnList string

// ColumnsOf returns the List of names.
func ColumnsOf(names []string) ColumnList { return ColumnList(strings.Join(names, ",")) }

// Names returns the names in the list; nil: the usual ones.
func (l ColumnList) Names() []string {
	if l == "" {
		return nil
	}
	return strings.Split(string(l), ",")
}

// ChosenColumns is the columns of all tables.
type ChosenColumns struct{ Node, Processes, Overview, Ranks, Jobs, Users ColumnList }

// At returns a pointer to the list of a table.
func (c *ChosenColumns) At(t ColumnTable) *ColumnList {
	switch t {
	case NodeTable:
		return &c.Node
	case ProcessTable:
		return &c.Processes
	case RankTable:
		return &c.Ranks
	case JobTable:
		return &c.Jobs
	case UserTable:
		return &c.Users
	}
	return &c.Overview
}
