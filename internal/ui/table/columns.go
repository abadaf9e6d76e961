// Package table holds the tables of the screens: their columns, the order in which columns appear as the terminal gets
// wider, and the rows for GPUs, processes, ranks, nodes, jobs and users.
//
// A table is made for a width and drawn on a Frame. Drawing changes only the Frame's canvas and memory. A Frame belongs
// to one goroutine at a time.
package table

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

type col = ColumnKey

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
	colPeak    col = "memory_peak_bytes"
	colPeakOf  col = "memory_peak_percent"
	colFullIn  col = "memory_full_seconds"

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
	gpuColumns     = rows.NodeTable.All()
	processColumns = rows.ProcessTable.All()
	rankColumns    = rows.RankTable.All()
	nodeColumns    = rows.OverviewTable.All()
	jobColumns     = rows.JobTable.All()
	userColumns    = rows.UserTable.All()
)

var gpuGrowth = []GrowthStage{
	GrowTo(10, colUtilBar), GrowTo(14, colFlags), GrowTo(20, colHistory), GrowTo(10, colMemBar),
	GrowTo(16, colUtilBar, colMemBar), GrowTo(20, colFlags), GrowTo(24, colUtilBar, colMemBar),
	GrowTo(60, colHistory), GrowTo(40, colFlags), GrowTo(120, colHistory), GrowRest(colFlags),
}

var processGrowth = []GrowthStage{GrowTo(28, colCommand), GrowTo(16, colNode), GrowTo(11, colJob),
	GrowRest(colCommand)}

var rankGrowth = []GrowthStage{GrowTo(16, colNode), GrowRest(colCommand)}

var nodeGrowth = []GrowthStage{
	GrowTo(36, colHealth), GrowTo(20, colHistory), GrowTo(16, colNode), GrowTo(16, colMemBar),
	GrowTo(30, colHistory), GrowRest(colHealth),
}

var timeColumns = rows.ColumnsFor(&rows.Nodes,
	rows.Column{Key: colNode, Priority: 1},
	rows.Column{Key: colHistory, Gap: 2, Least: 12, Priority: 1},
	rows.Column{Key: colMean, Gap: 2, Least: 4, Priority: 2, Title: "NOW", Right: true},
	rows.Column{Key: colHealth, Gap: 2, Least: 14, Priority: 3, Title: "HEALTH"},
)

var timeGrowth = []GrowthStage{
	GrowTo(20, colHistory), GrowTo(22, colHealth), GrowTo(40, colHistory), GrowTo(26, colHealth),
	GrowTo(67, colHistory), GrowTo(16, colNode), GrowTo(36, colHealth), GrowTo(100, colHistory),
	GrowRest(colHealth),
}

// The cells of the nodes are heights in narrow terminals and numbers in wide ones. At numbersFrom, numbers take the
// room of sums: this is the only width at which a wider terminal loses a column. Nodes of many GPUs have numbers from
// manyNumbersFrom on, and so have columns that the user has chosen: none of them leaves. From apartFrom on, a letter
// after a number does not touch the next number.
const (
	numbersFrom     = 80
	manyNumbersFrom = 116
	apartFrom       = 124
	apartBesideFrom = 100
)

// manyFrom is the width from which nodes with more than eight GPUs have more cells.
const manyFrom = 100

// healthSmall is the width below which HEALTH is small.
const healthSmall = 65

// gpuLayout is the layout for GPUs. models says that they are of several models; if there is only one, the line of the
// node names it. number is the width of the longest GPU number.
func gpuLayout(width int, models bool, number int, list rows.ColumnList) Layout {
	columns := ChooseColumns(widenGPUColumn(gpuColumns, number), list)
	if !models && list == "" {
		columns = slices.DeleteFunc(columns, func(c Column) bool { return c.Key == colName })
	}
	return FitColumns(width, columns, gpuGrowth, 2)
}

// timeLayout is the layout for strips, which take as many columns as they need up to a limit. The columns after them
// move closer.
func timeLayout(width int, strip func(most int) int) Layout {
	l := FitColumns(width, timeColumns, timeGrowth, 3)
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
func nodeLayout(width, gpus int, beside bool, list rows.ColumnList) Layout {
	columns, from := slices.Clone(ChooseColumns(nodeColumns, list)), numbersFrom
	if gpus > part.CellsAcross || list != "" {
		from = manyNumbersFrom
	}
	for i := range columns {
		switch c := &columns[i]; {
		case c.Key == colCells && (width >= apartFrom || beside && width >= apartBesideFrom):
			c.Least = 5 * part.CellsAcross
		case c.Key == colCells && (width >= from || beside):
			c.Least = 4 * part.CellsAcross
		case c.Key == colCells && gpus > part.CellsAcross && width >= manyFrom:
			c.Least = 2 * part.CellsAcross
		case c.Key == colHealth && width < healthSmall:
			c.Least = 14
		case c.Key == colHealth && width >= from && width < manyNumbersFrom && !beside:
			c.Least = 24
		}
	}
	return FitColumns(width, columns, nodeGrowth, 3)
}
