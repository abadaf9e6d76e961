// Package columns owns the names that the columns of the tables have in the settings, and lists of them.
//
// Everything in it is a constant or a function of its arguments, so it may be used concurrently. Package config checks
// the lists, and package table draws them: each name here is a column there.
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
)

// Tables lists the tables.
var Tables = []Table{Node, Processes, Overview}

// The names of the columns of each table, in the order in which they stand by default.
var names = map[Table][]string{
	Node: {"gpu", "rank", "name", "temp", "util_bar", "util", "mem_bar", "mem", "power", "clocks", "mem_rw",
		"history", "flags"},
	Processes: {"gpu", "pid", "type", "user", "rank", "gpu_mem", "sm", "mem_rw", "cpu", "host_mem", "time", "state",
		"threads", "command"},
	Overview: {"node", "gpus", "util", "history", "mem_bar", "mem", "power", "temp", "health"},
}

// Names are the names of the columns of a table.
func (t Table) Names() []string { return slices.Clone(names[t]) }

// List is some columns of a table, in their order: names with commas between them. Empty: those that the table has by
// default.
type List string

// Of is the List of names.
func Of(names []string) List { return List(strings.Join(names, ",")) }

// Names are the names in the list; nil: the default.
func (l List) Names() []string {
	if l == "" {
		return nil
	}
	return strings.Split(string(l), ",")
}

// Chosen is the columns of all tables.
type Chosen struct{ Node, Processes, Overview List }

// At is the place of the list of a table.
func (c *Chosen) At(t Table) *List {
	switch t {
	case Node:
		return &c.Node
	case Processes:
		return &c.Processes
	}
	return &c.Overview
}
