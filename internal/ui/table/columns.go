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

// The columns that can be chosen. Package columns has everything about a column except the code that draws it.
var (
	gpuColumns     = columns.Node.All()
	processColumns = columns.Processes.All()
	rankColumns    = columns.Ranks.All()
	nodeColumns    = columns.Overview.All()
	jobColumns     = columns.Jobs.All()
	userColumns    = columns.Users.All()
)

var gpuGrowth = []layout.Stage{
	layout.To(10, colUtilBar), layout.To(14, colFlags), layout.To(20, colHistory), layout.To(10, colMemBar),
	layout.To(16, colUtilBar, colMemBar), layout.To(20, colFlags), layout.To(24, colUtilBar, colMemBar),
	layout.To(60, colHistory), layout.To(40, colFlags), layout.To(120, colHistory), layout.Rest(colFlags),
}

var processGrowth = []layout.Stage{layout.To(28, colCommand), layout.To(16, colNode), layout.To(11, colJob),
	layout.Rest(colCommand)}

var rankGrowth = []layout.Stage{layout.To(16, colNode), layout.Rest(colCommand)}

var nodeGrowth = []layout.Stage{
	layout.To(36, colHealth), layout.To(20, colHistory), layout.To(16, colNode), layout.To(16, colMemBar),
	layout.To(30, colHistory), layout.Rest(colHealth),
}

var timeColumns = columns.For(&rows.Nodes,
	columns.Column{Key: colNode, Priority: 1},
	columns.Column{Key: colHistory, Gap: 2, Least: 12, Priority: 1},
	columns.Column{Key: colMean, Gap: 2, Least: 4, Priority: 2, Title: "NOW", Right: true},
	columns.Column{Key: colHealth, Gap: 2, Least: 14, Priority: 3, Title: "HEALTH"},
)

var timeGrowth = []layout.Stage{
	layout.To(20, colHistory), layout.To(22, colHealth), layout.To(40, colHistory), layout.To(26, colHealth),
	layout.To(67, colHistory), layout.To(16, colNode), layout.To(36, colHealth), layout.To(100, colHistory),
	layout.Rest(colHealth),
}

// The cells of the nodes are heights in narrow terminals and numbers in wide ones. At numbersFrom, numbers take the
// room of history and bar: this is the only width at which a wider terminal loses a column. From apartFrom on, a letter
// after a number does not touch the next number.
const (
	numbersFrom     = 116
	apartFrom       = 124
	apartBesideFrom = 100
)

// manyFrom is the width from which nodes with more than eight GPUs have more cells.
const manyFrom = 100

// healthSmall is the width below which HEALTH is small.
const healthSmall = 65

// gpuLayout is the layout for GPUs. models says that they are of several models; if there is only one, the line of the
// node names it. number is the width of the longest GPU number.
func gpuLayout(width int, models bool, number int, list columns.List) layout.Layout {
	columns := layout.Choose(widenGPUColumn(gpuColumns, number), list)
	if !models && list == "" {
		columns = slices.DeleteFunc(columns, func(c layout.Column) bool { return c.Key == colName })
	}
	return layout.Fit(width, columns, gpuGrowth, 2)
}

// timeLayout is the layout for strips, which take as many columns as they need up to a limit. The columns after them
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

// nodeLayout is the layout for nodes with at most this many GPUs. beside says that a pane shows their history and sums:
// then the cells are numbers.
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
