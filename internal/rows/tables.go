package rows

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Column is a column of a table: its name, the blanks before it, its least width, its priority when columns are added
// as the terminal gets wider, and its title. A column that shows a single metric needs only Shows and Unit, and no
// code. A spare column, which shows a field, needs no code either, and has no priority: the user's list has the order.
type Column struct {
	Key                  string   // of the field that it shows, or the name of a picture
	Also                 []string // other names
	Help                 string
	Gap, Least, Priority int
	Title, Short         string // Short is used where the title does not fit
	Right                bool   // the title is flush right, above numbers
	Left                 bool   // the title is flush left, although it is above numbers
	Spare                bool   // shown only if it is chosen
	ByItself             bool   // shown where it tells rows apart, and cannot be chosen
	Shows                metric.ID
	Unit                 string // "": the table's own code draws the column
}

// ColumnGap is the gap between columns that are not neighbors by default.
const ColumnGap = 2

// ColumnsFor completes columns with the names, titles and widths of their fields, unless they have their own.
func ColumnsFor[Row any](t *field.Table[Row], list ...Column) []Column {
	for i := range list {
		c := &list[i]
		if c.Spare {
			c.Gap = ColumnGap
		}
		at := slices.IndexFunc(t.Fields, func(f field.Field[Row]) bool { return f.Key == c.Key })
		if at < 0 {
			continue
		}
		f := &t.Fields[at]
		if c.Help == "" { // otherwise it shows more than the field
			c.Help, c.Also = f.Help, f.Also
		}
		c.Title, c.Least = cmp.Or(c.Title, strings.ToUpper(f.Title)), cmp.Or(c.Least, f.Width)
		c.Right = f.Right() && !c.Left
	}
	return list
}

// ofGPUs are the columns of the GPUs of a node. Their fields are those of a process row without a process.
var ofGPUs = ColumnsFor(&Processes,
	Column{Key: "gpu", Help: "number of the GPU", Least: 3, Priority: 1, Title: "GPU"},
	Column{Key: "rank", Help: "rank of the process on it", Gap: 2, Least: 4, Priority: 11, Title: "RANK", Right: true},
	Column{Key: "gpu_name", Also: []string{"name"}, Help: "model", Gap: 2, Least: 14, Priority: 10, Title: "NAME"},
	Column{Key: "temperature_celsius", Also: []string{"temp"}, Help: "temperature", Gap: 2, Least: 5, Priority: 3,
		Title: "TEMP", Right: true, Shows: metric.Temperature, Unit: "°C"},
	Column{Key: "util_bar", Help: "utilization, as a bar", Gap: 2, Least: 8, Priority: 6, Title: "UTILIZATION",
		Short: "UTIL"},
	Column{Key: "util_percent", Also: []string{"util"}, Help: "utilization, in percent", Gap: 1, Least: 4, Priority: 1,
		Title: "%", Right: true, Shows: metric.Util, Unit: "%"},
	Column{Key: "memory_bar", Also: []string{"mem_bar"}, Help: "memory in use, as a bar", Gap: 2, Least: 8, Priority: 8,
		Title: "MEMORY"},
	Column{Key: "memory_used_bytes", Also: []string{"mem"}, Help: "memory in use and memory, in GiB", Gap: 1, Least: 13,
		Priority: 4, Title: "USED/TOT GiB", Right: true},
	Column{Key: "power_watts", Also: []string{"power"}, Help: "power and its limit", Gap: 2, Least: 10, Priority: 5,
		Title: "POWER", Right: true},
	Column{Key: "clocks", Help: "clocks of SM and memory", Gap: 2, Least: 9, Priority: 9, Title: "SM/MEMMHz",
		Right: true},
	Column{Key: "mem_util_percent", Also: []string{"mem_rw"},
		Help: "share of the time that GPU memory is read or written", Gap: 2, Least: 4, Priority: 12,
		Title: Processes.Field("mem_util_percent").Title, Right: true, Shows: metric.MemUtil, Unit: "%"},
	Column{Key: "history", Help: "utilization over time", Gap: 2, Least: 10, Priority: 7, Title: "UTIL HISTORY",
		Short: "HISTORY"},
	Column{Key: "flags", Help: "what is wrong, or whose GPU it is", Gap: 2, Least: 11, Priority: 2, Title: "FLAGS"},
)

// ofNodes are the columns of the nodes of a job.
var ofNodes = ColumnsFor(&Nodes,
	Column{Key: "node", Help: "name of the node", Priority: 1},
	Column{Key: "gpus", Help: "a cell for each GPU", Gap: 2, Least: 8, Priority: 1},
	Column{Key: "util_mean_percent", Also: []string{"util"}, Help: "mean of what the cells show", Gap: 2, Least: 4,
		Priority: 3, Title: "AVG"},
	Column{Key: "history", Help: "utilization over time", Gap: 2, Least: 12, Priority: 7, Title: "UTIL HISTORY"},
	Column{Key: "memory_bar", Also: []string{"mem_bar"}, Help: "memory in use, as a bar", Gap: 2, Least: 8, Priority: 8,
		Title: "MEMORY"},
	Column{Key: "memory_used_sum_bytes", Also: []string{"mem"}, Help: "memory in use and memory, in GiB", Gap: 1,
		Least: 13, Priority: 6, Title: "USED/TOT GiB"},
	Column{Key: "power_sum_watts", Also: []string{"power"}, Help: "power and its limit", Gap: 2, Least: 11, Priority: 5,
		Title: "POWER"},
	Column{Key: "temperature_highest_celsius", Also: []string{"temp"}, Help: "temperature of the hottest GPU", Gap: 2,
		Least: 5, Priority: 4, Title: "MAX°C", Right: true},
	Column{Key: "health", Help: "what is wrong", Gap: 2, Least: 26, Priority: 2, Title: "HEALTH"},
)

// ofJobs are the columns of all jobs.
var ofJobs = ColumnsFor(&Jobs,
	Column{Key: "state", Priority: 1},
	Column{Key: "job", Gap: 1, Priority: 1},
	Column{Key: "name", Gap: 2, Priority: 1},
	Column{Key: "partition", Gap: 2, Priority: 9},
	Column{Key: "nodes", Gap: 2, Priority: 7},
	Column{Key: "gpus", Gap: 2, Priority: 5},
	Column{Key: "util_mean_percent", Gap: 2, Priority: 2},
	Column{Key: "util_lowest_percent", Gap: 2, Priority: 6, Left: true}, // the name of a GPU follows
	Column{Key: "power_sum_watts", Gap: 2, Least: 11, Priority: 8},
	Column{Key: "left_seconds", Gap: 2, Priority: 3},
	Column{Key: "health", Help: "the worst problem, and how many more there are", Gap: 2, Least: 12, Priority: 4,
		Title: "PROBLEMS"},
	Column{Key: "step", Spare: true},
	Column{Key: "done_percent", Spare: true},
	Column{Key: "pace", Spare: true},
	Column{Key: "ends_in_seconds", Spare: true},
)

// ofUsers are the columns of the users with processes on the nodes.
var ofUsers = ColumnsFor(&Users,
	Column{Key: "user", Priority: 1},
	Column{Key: "nodes", Gap: 2, Priority: 1},
	Column{Key: "gpus", Gap: 2, Priority: 1},
	Column{Key: "processes", Gap: 2, Priority: 4},
	Column{Key: "gpu_memory_bytes", Gap: 2, Priority: 2},
	Column{Key: "power_sum_watts", Gap: 2, Priority: 5},
	Column{Key: "elapsed_seconds", Gap: 2, Priority: 3},
	Column{Key: "job", Gap: 2, Priority: 6},
	Column{Key: "command", Gap: 2, Least: 8, Priority: 7},
)

// ofRanks returns the columns of ranks: the owner of a rank, the rank numbers and the command, with the other columns
// of processes as spare ones. The program is shown without being chosen if there are several.
func ofRanks() []Column {
	list := []Column{
		{Key: "program", Least: 4, Priority: 1, Title: "PROG", Right: true, ByItself: true},
		{Key: "rank", Gap: 1, Least: 5, Priority: 1},
		{Key: "node", Gap: 2, Priority: 1},
		{Key: "gpu", Gap: 1, Priority: 1},
		{Key: "pid", Gap: 1, Priority: 2},
	}
	late := []string{"command", "memory_peak_bytes", "rss_bytes", "state"} // the command says more than these numbers
	early := slices.DeleteFunc(field.Keys(RankNumbers), func(key string) bool { return slices.Contains(late, key) })
	byPriority := slices.Concat(early, late)
	for _, key := range append(field.Keys(RankNumbers), "state", "command") {
		list = append(list, Column{Key: key, Gap: 2, Priority: 3 + slices.Index(byPriority, key)})
	}
	for _, c := range ofProcesses() {
		if !c.ByItself && !slices.ContainsFunc(list, func(usual Column) bool { return usual.Key == c.Key }) {
			list = append(list, Column{Key: c.Key, Spare: true})
		}
	}
	return ColumnsFor(&Processes, list...)
}

// ofProcesses returns the columns of the fields of processes: the usual ones, then the others. The columns of the node
// and the job are shown without being chosen if there are several. A text stands close to the number before it.
func ofProcesses() []Column {
	var list, spare []Column
	for i := range Processes.Fields {
		f := &Processes.Fields[i]
		c := Column{Key: f.Key, Gap: ColumnGap, Priority: f.Place, Spare: f.Place == 0}
		switch f.Key {
		case "node", "job":
			c.ByItself = true
		}
		switch f.Key {
		case "node", "gpu":
			c.Gap = 0
		case "pid", "type", "user", "job":
			c.Gap = 1
		}
		switch {
		case f.Title == "":
		case c.Spare:
			spare = append(spare, c)
		default:
			list = append(list, c)
		}
	}
	return ColumnsFor(&Processes, append(list, spare...)...)
}
