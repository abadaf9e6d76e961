// Package columns has the columns that tables can show, and lists of columns.
//
// A column has the key of the field that it shows; the columns of processes come from the table of their fields.
// Everything here is a constant or a function of its arguments, so it may be used concurrently. Package config checks
// the lists of columns, and package table draws the columns.
package columns

import (
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/rows"
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
	Users     Table = "users"     // those who have processes on the nodes
)

// Tables lists the tables.
var Tables = []Table{Node, Processes, Overview, Ranks, Jobs, Users}

// Column is a column that can be chosen.
type Column struct {
	Key   string
	Also  []string // older names
	Help  string
	Title string // "": the table has its own
	Width int    // least width; 0: the table decides
	Right bool   // the title is flush right, above numbers
	Spare bool   // shown only if the user chooses it
}

// all has the columns of each table, in their usual order, the spare ones last.
var all = map[Table][]Column{
	Node: {
		{Key: "gpu", Help: "number of the GPU"}, {Key: "rank", Help: "rank of the process on it"},
		{Key: "gpu_name", Also: []string{"name"}, Help: "model"},
		{Key: "temperature_celsius", Also: []string{"temp"}, Help: "temperature"},
		{Key: "util_bar", Help: "utilization, as a bar"},
		{Key: "util_percent", Also: []string{"util"}, Help: "utilization, in percent"},
		{Key: "memory_bar", Also: []string{"mem_bar"}, Help: "memory in use, as a bar"},
		{Key: "memory_used_bytes", Also: []string{"mem"}, Help: "memory in use and memory, in GiB"},
		{Key: "power_watts", Also: []string{"power"}, Help: "power and its limit"},
		{Key: "clocks", Help: "clocks of SM and memory"},
		{Key: "mem_util_percent", Also: []string{"mem_rw"},
			Help: "share of the time that GPU memory is read or written"},
		{Key: "history", Help: "utilization over time"}, {Key: "flags", Help: "what is wrong, or whose GPU it is"},
	},
	Processes: ofProcesses(),
	Overview: {
		{Key: "node", Help: "name of the node"}, {Key: "gpus", Help: "a cell for each GPU"},
		{Key: "util_mean_percent", Also: []string{"util"}, Help: "mean of what the cells show"},
		{Key: "history", Help: "utilization over time"},
		{Key: "memory_bar", Also: []string{"mem_bar"}, Help: "memory in use, as a bar"},
		{Key: "memory_used_sum_bytes", Also: []string{"mem"}, Help: "memory in use and memory, in GiB"},
		{Key: "power_sum_watts", Also: []string{"power"}, Help: "power and its limit"},
		{Key: "temperature_highest_celsius", Also: []string{"temp"}, Help: "temperature of the hottest GPU"},
		{Key: "health", Help: "what is wrong"},
	},
	Ranks: ofRanks(),
	Jobs: append(of(&rows.Jobs, "state", "job", "name", "partition", "nodes", "gpus", "util_mean_percent",
		"util_lowest_percent", "power_sum_watts", "left_seconds"),
		Column{Key: "health", Help: "the worst problem, and how many more there are"}),
	Users: of(&rows.Users, "user", "nodes", "gpus", "processes", "gpu_memory_bytes", "power_sum_watts",
		"elapsed_seconds", "job", "command"),
}

// of returns columns that show fields of a table.
func of[Row any](t *field.Table[Row], keys ...string) (list []Column) {
	for _, key := range keys {
		f := t.Field(key)
		list = append(list, Column{Key: f.Key, Also: f.Also, Help: f.Help})
	}
	return list
}

// ofRanks returns the usual columns of ranks, and the other columns of processes as spare ones. The program and the job
// are not among them: the program is there by itself if there are several.
func ofRanks() []Column {
	keys := []string{"rank", "node", "gpu", "pid"}
	for _, f := range rows.RankNumbers {
		keys = append(keys, f.Key)
	}
	list := of(&rows.Processes, append(keys, "state", "command")...)
	for _, c := range ofProcesses() {
		if !slices.ContainsFunc(list, func(usual Column) bool { return usual.Key == c.Key }) {
			list = append(list, Column{Key: c.Key, Also: c.Also, Help: c.Help, Spare: true})
		}
	}
	return list
}

// ofProcesses returns the fields of processes that have a column: the usual ones, then the others. The columns of the
// node and the job come by themselves if there are several.
func ofProcesses() (list []Column) {
	var spare []Column
	for i := range rows.Processes.Fields {
		f := &rows.Processes.Fields[i]
		c := Column{f.Key, f.Also, f.Help, strings.ToUpper(f.Title), f.Width, f.Right(), f.Place == 0}
		switch {
		case f.Title == "", f.Key == "node", f.Key == "job":
		case c.Spare:
			spare = append(spare, c)
		default:
			list = append(list, c)
		}
	}
	return append(list, spare...)
}

// Columns returns the columns of a table. They must not be changed.
func (t Table) Columns() []Column { return all[t] }

// Names returns the names of the columns of a table.
func (t Table) Names() []string { return t.names(func(c *Column) bool { return true }) }

// Usual returns the names of the columns that are shown by default.
func (t Table) Usual() []string { return t.names(func(c *Column) bool { return !c.Spare }) }

func (t Table) names(which func(c *Column) bool) (names []string) {
	for i := range all[t] {
		if c := &all[t][i]; which(c) {
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
		if c := &all[t][i]; c.Key == name || slices.Contains(c.Also, name) {
			return c.Key
		}
	}
	return ""
}

// List is some columns of a table, in their order: keys with commas between them. An empty List means the usual
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

// At returns the place of a table's list.
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
