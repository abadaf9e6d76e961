// Package table holds the tables of the screens: their columns, the order in which columns appear as the terminal gets
// wider, and the rows for GPUs, processes, ranks, nodes, jobs and users.
//
// A table is made for a width and drawn on a Frame. Drawing changes only the Frame's canvas and memory. A Frame belongs
// to one goroutine at a time.
package table

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/rows/columns"
	"github.com/nvnodetop/nvnodetop/internal/ui/layout"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

type col = layout.Key

const (
	colGPU     col = "gpu"
	colName    col = "gpu_name"
	colTemp    col = "temperature_celsius"
	colUtilBar col = "util_bar"
	colUtil    col = "util_percent"
	colMemBar  col = "memory_bar"
	colUsed    col = "memory_used_bytes"
	colPower   col = "power_watts"
	colClock   col = "clocks"
	colMemRW   col = "mem_util_percent"
	colHistory col = "history"
	colFlags   col = "flags"

	colPID     col = "pid"
	colType    col = "type"
	colUser    col = "user"
	colGPUMem  col = "gpu_memory_bytes"
	colTime    col = "elapsed_seconds"
	colCommand col = "command"
	colProgram col = "program"
	colRank    col = "rank"
	colState   col = "state"
	colThreads col = "threads"

	colNode     col = "node"
	colCells    col = "gpus"
	colMean     col = "util_mean_percent"
	colUsedSum  col = "memory_used_sum_bytes"
	colPowerSum col = "power_sum_watts"
	colHottest  col = "temperature_highest_celsius"
	colHealth   col = "health"

	colJob       col = "job"
	colJobName   col = "name"
	colPartition col = "partition"
	colNodes     col = "nodes"
	colGPUs      col = "gpus"
	colLowest    col = "util_lowest_percent"
	colLeft      col = "left_seconds"
	colProcs     col = "processes"
	colReason    col = "reason"
	colStarts    col = "starts"
)

var gpuColumns = []layout.Column{
	{Key: colGPU, Least: 3, Priority: 1, Title: "GPU", Right: true},
	{Key: colRank, Gap: 2, Least: 4, Priority: 11, Title: "RANK", Right: true},
	{Key: colName, Gap: 2, Least: 14, Priority: 10, Title: "NAME"},
	{Key: colTemp, Gap: 2, Least: 5, Priority: 3, Title: "TEMP", Right: true, Shows: metric.Temperature, Unit: "°C"},
	{Key: colUtilBar, Gap: 2, Least: 8, Priority: 6, Title: "UTILIZATION", Short: "UTIL"},
	{Key: colUtil, Gap: 1, Least: 4, Priority: 1, Title: "%", Right: true, Shows: metric.Util, Unit: "%"},
	{Key: colMemBar, Gap: 2, Least: 8, Priority: 8, Title: "MEMORY"},
	{Key: colUsed, Gap: 1, Least: 13, Priority: 4, Title: "USED/TOT GiB", Right: true},
	{Key: colPower, Gap: 2, Least: 10, Priority: 5, Title: "POWER", Right: true},
	{Key: colClock, Gap: 2, Least: 9, Priority: 9, Title: "SM/MEMMHz", Right: true},
	{Key: colMemRW, Gap: 2, Least: 4, Priority: 12, Title: rows.Processes.Field(colMemRW).Title, Right: true,
		Shows: metric.MemUtil, Unit: "%"},
	{Key: colHistory, Gap: 2, Least: 10, Priority: 7, Title: "UTIL HISTORY", Short: "HISTORY"},
	{Key: colFlags, Gap: 2, Least: 11, Priority: 2, Title: "FLAGS"},
}

var gpuGrowth = []layout.Stage{
	layout.To(10, colUtilBar), layout.To(14, colFlags), layout.To(20, colHistory), layout.To(10, colMemBar),
	layout.To(16, colUtilBar, colMemBar), layout.To(20, colFlags), layout.To(24, colUtilBar, colMemBar),
	layout.To(60, colHistory), layout.To(40, colFlags), layout.To(120, colHistory), layout.Rest(colFlags),
}

// processColumns are the columns of processes: the usual ones, and the spare ones, which come in only if they are
// chosen.
var processColumns = layout.Of(&rows.Processes, placed(), spare(columns.Processes)...)

// placed are the usual columns of processes. Texts, and the numbers behind which they stand, are close to each other.
func placed() (list []layout.Column) {
	for i := range rows.Processes.Fields {
		f := &rows.Processes.Fields[i]
		c := layout.Column{Key: f.Key, Gap: 2, Priority: f.Place}
		switch f.Key {
		case colNode, colGPU:
			c.Gap = 0
		case colPID, colType, colUser, colJob:
			c.Gap = 1
		}
		if f.Place > 0 {
			list = append(list, c)
		}
	}
	return list
}

// spare returns the columns of a table that come in only if they are chosen.
func spare(t columns.Table) (keys []col) {
	for _, c := range t.Columns() {
		if c.Spare {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

var processGrowth = []layout.Stage{layout.To(28, colCommand), layout.To(16, colNode), layout.To(11, colJob),
	layout.Rest(colCommand)}

// rankColumns are the owner of a rank, the numbers of ranks, and the command.
var rankColumns = layout.Of(&rows.Processes, slices.Concat([]layout.Column{
	{Key: colProgram, Least: 4, Priority: 1, Title: "PROG", Right: true},
	{Key: colRank, Gap: 1, Least: 5, Priority: 1},
	{Key: colNode, Gap: 2, Priority: 1},
	{Key: colGPU, Gap: 1, Priority: 1},
	{Key: colPID, Gap: 1, Priority: 2},
}, rankNumbers(), []layout.Column{
	{Key: colState, Gap: 2, Priority: 4 + len(rows.RankNumbers)},
	{Key: colCommand, Gap: 2, Priority: 3 + len(rows.RankNumbers)},
}), spare(columns.Ranks)...)

func rankNumbers() (list []layout.Column) {
	for i, f := range rows.RankNumbers {
		list = append(list, layout.Column{Key: f.Key, Gap: 2, Priority: 3 + i})
	}
	return list
}

var rankGrowth = []layout.Stage{layout.To(16, colNode), layout.Rest(colCommand)}

var nodeColumns = layout.Of(&rows.Nodes, []layout.Column{
	{Key: colNode, Priority: 1},
	{Key: colCells, Gap: 2, Least: 8, Priority: 1},
	{Key: colMean, Gap: 2, Least: 4, Priority: 3, Title: "AVG", Right: true},
	{Key: colHistory, Gap: 2, Least: 12, Priority: 7, Title: "UTIL HISTORY"},
	{Key: colMemBar, Gap: 2, Least: 8, Priority: 8, Title: "MEMORY"},
	{Key: colUsedSum, Gap: 1, Least: 13, Priority: 6, Title: "USED/TOT GiB", Right: true},
	{Key: colPowerSum, Gap: 2, Least: 11, Priority: 5, Title: "POWER", Right: true},
	{Key: colHottest, Gap: 2, Least: 5, Priority: 4, Title: "MAX°C", Right: true},
	{Key: colHealth, Gap: 2, Least: 26, Priority: 2, Title: "HEALTH"},
})

var nodeGrowth = []layout.Stage{
	layout.To(36, colHealth), layout.To(20, colHistory), layout.To(16, colNode), layout.To(16, colMemBar),
	layout.To(30, colHistory), layout.Rest(colHealth),
}

var timeColumns = layout.Of(&rows.Nodes, []layout.Column{
	{Key: colNode, Priority: 1},
	{Key: colHistory, Gap: 2, Least: 12, Priority: 1},
	{Key: colMean, Gap: 2, Least: 4, Priority: 2, Title: "NOW", Right: true},
	{Key: colHealth, Gap: 2, Least: 14, Priority: 3, Title: "HEALTH"},
})

var timeGrowth = []layout.Stage{
	layout.To(20, colHistory), layout.To(22, colHealth), layout.To(40, colHistory), layout.To(26, colHealth),
	layout.To(67, colHistory), layout.To(16, colNode), layout.To(36, colHealth), layout.To(100, colHistory),
	layout.Rest(colHealth),
}

// The cells of the nodes are heights in narrow terminals and numbers in wide ones. At first, numbers take the room of
// history and bar: only here does a wider terminal lose a column. From apartFrom on, a letter after a number does not
// touch the next number.
const (
	numbersFrom     = 116
	apartFrom       = 124
	apartBesideFrom = 100
)

// manyFrom is the width from which nodes of more than eight GPUs have more cells.
const manyFrom = 100

// healthSmall is the width below which HEALTH is small.
const healthSmall = 65

// gpuLayout is the layout for GPUs. models says that they are of several models; if they are of one, the line of the
// node names it. number is the width of their longest number.
func gpuLayout(width int, models bool, number int, list columns.List) layout.Layout {
	columns := layout.Choose(numbered(gpuColumns, number), list)
	if !models && list == "" {
		columns = slices.DeleteFunc(columns, func(c layout.Column) bool { return c.Key == colName })
	}
	return layout.Fit(width, columns, gpuGrowth, 2)
}

// timeLayout is the layout for strips, which take as many columns as they like up to a limit. The columns after them
// move closer.
func timeLayout(width int, strip func(most int) int) layout.Layout {
	l := layout.Fit(width, timeColumns, timeGrowth, 3)
	history, mean, health := l[colHistory], l[colMean], l[colHealth]
	left := history.W
	if takes := strip(left); left > 0 {
		history.W = takes
	}
	left -= history.W
	mean.X, health.X = mean.X-left, health.X-left
	if health.Shown() {
		health.W += left
	}
	l[colHistory], l[colMean], l[colHealth] = history, mean, health
	return l
}

// nodeLayout is the layout for nodes with at most this many GPUs. beside says that a pane has their history and sums:
// the cells are numbers then.
func nodeLayout(width, gpus int, beside bool, list columns.List) layout.Layout {
	columns := slices.Clone(layout.Choose(nodeColumns, list))
	for i := range columns {
		switch c := &columns[i]; {
		case c.Key == colCells && (width >= apartFrom || beside && width >= apartBesideFrom):
			c.Least = 5 * part.CellsAcross
		case c.Key == colCells && (width >= numbersFrom || beside):
			c.Least = 4 * part.CellsAcross
		case c.Key == colCells && gpus > part.CellsAcross && width >= manyFrom:
			c.Least = 2 * part.CellsAcross
		case c.Key == colHealth && width < healthSmall:
			c.Least = 14
		}
	}
	return layout.Fit(width, columns, nodeGrowth, 3)
}
