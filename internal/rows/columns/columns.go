// Package columns has the columns that tables can show, and lists of columns.
//
// A column is one row here: its name in the settings, and how a screen shows it. A column that shows a field has the
// key of that field, and takes its title, width and description. A spare column needs no code. Everything here is a
// constant or a function of its arguments, so it may be used concurrently. Package config checks the lists of columns,
// and package table draws the columns.
package columns

import (
	"slices"
	"strings"
)

// Table is a table whose columns can be chosen, by its name in the settings.
type Table string

// The tables.
const (
	Node      Table = "node"      // the GPUs of a node
	Processes Table = "processes" // the processes of a node
	Overview  Table = "overview"  // the nodes of a job
	Ranks     Table = "ranks"     // the ranks of a job
	Jobs      Table = "jobs"      // all jobs
	Users     Table = "users"     // the users who have processes on the nodes
)

// Tables lists the tables.
var Tables = []Table{Node, Processes, Overview, Ranks, Jobs, Users}

// all has the columns of each table, in their usual order, the spare ones last.
var all = map[Table][]Column{
	Node: ofGPUs, Processes: ofProcesses(), Overview: ofNodes, Ranks: ofRanks(), Jobs: ofJobs, Users: ofUsers,
}

// Columns returns the columns of a table that can be chosen.
func (t Table) Columns() []Column {
	return slices.DeleteFunc(t.All(), func(c Column) bool { return c.ByItself })
}

// All returns all columns of a table, as it is drawn.
func (t Table) All() []Column { return slices.Clone(all[t]) }

// Names returns the names of the columns of a table.
func (t Table) Names() []string { return t.keysWhere(func(c *Column) bool { return true }) }

// Usual returns the names of the columns that are shown by default.
func (t Table) Usual() []string { return t.keysWhere(func(c *Column) bool { return !c.Spare }) }

func (t Table) keysWhere(which func(c *Column) bool) (names []string) {
	for i := range all[t] {
		if c := &all[t][i]; !c.ByItself && which(c) {
			names = append(names, c.Key)
		}
	}
	return names
}

// Help describes a column.
func (t Table) Help(key string) string {
	for i := range all[t] {
		if c := &all[t][i]; c.Key == key {
			return c.Help
		}
	}
	return ""
}

// Find returns the key of the column with a present or former name; "": there is none.
func (t Table) Find(name string) string {
	for i := range all[t] {
		if c := &all[t][i]; !c.ByItself && (c.Key == name || slices.Contains(c.Also, name)) {
			return c.Key
		}
	}
	return ""
}

// List is an ordered selection of a table's columns: keys with commas between them. An empty List means the usual
// columns.
type List string

// Of returns the List of names.
func Of(names []string) List { return List(strings.Join(names, ",")) }

// Names returns the names in the list; nil: the usual ones.
func (l List) Names() []string {
	if l == "" {
		return nil
	}
	return strings.Split(string(l), ",")
}

// Chosen is the columns of all tables.
type Chosen struct{ Node, Processes, Overview, Ranks, Jobs, Users List }

// At returns a pointer to the list of a table.
func (c *Chosen) At(t Table) *List {
	switch t {
	case Node:
		return &c.Node
	case Processes:
		return &c.Processes
	case Ranks:
		return &c.Ranks
	case Jobs:
		return &c.Jobs
	case Users:
		return &c.Users
	}
	return &c.Overview
}
