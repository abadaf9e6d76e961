// Package table holds the tables of the screens: their columns, the order in which columns appear as the terminal gets
// wider, and the rows for GPUs, processes, ranks, nodes, jobs and users.
//
// A table is made for a width and drawn on a Frame. Drawing changes only the Frame's canvas and memory. A Frame belongs
// to one goroutine at a time.
package table

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/columns"
	"github.com/nvnodetop/nvnodetop/internal/field"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// col is the key of the field that a column shows, or the name of a picture.
type col = string

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

// column is a column of a table: the blanks before it, its least width, its place in the order in which columns come in
// as the terminal gets wider, and its title. If a column shows a single metric, shows and unit are enough; it needs no
// code.
type column struct {
	key                  col
	gap, least, priority int
	title, short         string // short is used where the title does not fit
	right                bool   // the title is flush right, above numbers
	left                 bool   // the title is flush left, although it is above numbers
	spare                bool   // it comes in only if it is chosen
	shows                metric.ID
	unit                 string // "": the table's own code draws the column
}

// lowestPriority is the last place in the order in which columns come in.
const lowestPriority = 14

// stage is one step of giving out the remaining width: these columns grow, together, up to most.
type stage struct {
	most int
	keys []col
}

// unbounded is the limit of a column that takes all the rest.
const unbounded = 1 << 16

var gpuColumns = []column{
	{key: colGPU, least: 3, priority: 1, title: "GPU", right: true},
	{key: colRank, gap: 2, least: 4, priority: 11, title: "RANK", right: true},
	{key: colName, gap: 2, least: 14, priority: 10, title: "NAME"},
	{key: colTemp, gap: 2, least: 5, priority: 3, title: "TEMP", right: true, shows: metric.Temperature, unit: "°C"},
	{key: colUtilBar, gap: 2, least: 8, priority: 6, title: "UTILIZATION", short: "UTIL"},
	{key: colUtil, gap: 1, least: 4, priority: 1, title: "%", right: true, shows: metric.Util, unit: "%"},
	{key: colMemBar, gap: 2, least: 8, priority: 8, title: "MEMORY"},
	{key: colUsed, gap: 1, least: 13, priority: 4, title: "USED/TOT GiB", right: true},
	{key: colPower, gap: 2, least: 10, priority: 5, title: "POWER", right: true},
	{key: colClock, gap: 2, least: 9, priority: 9, title: "SM/MEMMHz", right: true},
	{key: colMemRW, gap: 2, least: 4, priority: 12, title: rows.Processes.Field(colMemRW).Title, right: true,
		shows: metric.MemUtil, unit: "%"},
	{key: colHistory, gap: 2, least: 10, priority: 7, title: "UTIL HISTORY", short: "HISTORY"},
	{key: colFlags, gap: 2, least: 11, priority: 2, title: "FLAGS"},
}

var gpuGrowth = []stage{
	{10, []col{colUtilBar}}, {14, []col{colFlags}}, {20, []col{colHistory}}, {10, []col{colMemBar}},
	{16, []col{colUtilBar, colMemBar}}, {20, []col{colFlags}},
	{24, []col{colUtilBar, colMemBar}}, {60, []col{colHistory}}, {40, []col{colFlags}}, {120, []col{colHistory}},
	{unbounded, []col{colFlags}},
}

// processColumns are the columns of processes: the usual ones, and the spare ones, which come in only if they are
// chosen.
var processColumns = of(&rows.Processes, placed(), spare(columns.Processes)...)

// placed are the usual columns of processes. Texts, and the numbers behind which they stand, are close to each other.
func placed() (list []column) {
	for i := range rows.Processes.Fields {
		f := &rows.Processes.Fields[i]
		c := column{key: f.Key, gap: 2, priority: f.Place}
		switch f.Key {
		case colNode, colGPU:
			c.gap = 0
		case colPID, colType, colUser, colJob:
			c.gap = 1
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

// of completes columns with the titles and widths of their fields, unless they have their own. Columns for the fields
// of more follow them.
func of[Row any](t *field.Table[Row], list []column, more ...col) []column {
	for _, key := range more {
		list = append(list, column{key: key, gap: chosenGap, spare: true})
	}
	for i := range list {
		c, at := &list[i], t.Find(list[i].key)
		if at < 0 {
			continue
		}
		f := &t.Fields[at]
		c.title, c.least = cmp.Or(c.title, strings.ToUpper(f.Title)), cmp.Or(c.least, f.Width)
		c.right = f.Right() && !c.left
	}
	return list
}

var processGrowth = []stage{{28, []col{colCommand}}, {16, []col{colNode}}, {11, []col{colJob}},
	{unbounded, []col{colCommand}}}

// rankColumns are whose rank it is, the numbers of ranks, and what the process runs.
var rankColumns = of(&rows.Processes, slices.Concat([]column{
	{key: colProgram, least: 4, priority: 1, title: "PROG", right: true},
	{key: colRank, gap: 1, least: 5, priority: 1},
	{key: colNode, gap: 2, priority: 1},
	{key: colGPU, gap: 1, priority: 1},
	{key: colPID, gap: 1, priority: 2},
}, rankNumbers(), []column{
	{key: colState, gap: 2, priority: 4 + len(rows.RankNumbers)},
	{key: colCommand, gap: 2, priority: 3 + len(rows.RankNumbers)},
}), spare(columns.Ranks)...)

func rankNumbers() (list []column) {
	for i, f := range rows.RankNumbers {
		list = append(list, column{key: f.Key, gap: 2, priority: 3 + i})
	}
	return list
}

var rankGrowth = []stage{{16, []col{colNode}}, {unbounded, []col{colCommand}}}

var nodeColumns = of(&rows.Nodes, []column{
	{key: colNode, priority: 1},
	{key: colCells, gap: 2, least: 8, priority: 1},
	{key: colMean, gap: 2, least: 4, priority: 3, title: "AVG", right: true},
	{key: colHistory, gap: 2, least: 12, priority: 7, title: "UTIL HISTORY"},
	{key: colMemBar, gap: 2, least: 8, priority: 8, title: "MEMORY"},
	{key: colUsedSum, gap: 1, least: 13, priority: 6, title: "USED/TOT GiB", right: true},
	{key: colPowerSum, gap: 2, least: 11, priority: 5, title: "POWER", right: true},
	{key: colHottest, gap: 2, least: 5, priority: 4, title: "MAX°C", right: true},
	{key: colHealth, gap: 2, least: 26, priority: 2, title: "HEALTH"},
})

var nodeGrowth = []stage{
	{36, []col{colHealth}}, {20, []col{colHistory}}, {16, []col{colNode}}, {16, []col{colMemBar}},
	{30, []col{colHistory}}, {unbounded, []col{colHealth}},
}

var timeColumns = of(&rows.Nodes, []column{
	{key: colNode, priority: 1},
	{key: colHistory, gap: 2, least: 12, priority: 1},
	{key: colMean, gap: 2, least: 4, priority: 2, title: "NOW", right: true},
	{key: colHealth, gap: 2, least: 14, priority: 3, title: "HEALTH"},
})

var timeGrowth = []stage{
	{20, []col{colHistory}}, {22, []col{colHealth}}, {40, []col{colHistory}}, {26, []col{colHealth}},
	{67, []col{colHistory}}, {16, []col{colNode}},
	{36, []col{colHealth}}, {100, []col{colHistory}}, {unbounded, []col{colHealth}},
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
func gpuLayout(width int, models bool, number int, list columns.List) layout {
	columns := choose(numbered(gpuColumns, number), columns.Node, list)
	if !models && list == "" {
		columns = slices.DeleteFunc(columns, func(c column) bool { return c.key == colName })
	}
	return fit(width, columns, gpuGrowth, 2)
}

// timeLayout is the layout for strips, which take as many columns as they like up to a limit. The columns after them
// move closer.
func timeLayout(width int, strip func(most int) int) layout {
	l := fit(width, timeColumns, timeGrowth, 3)
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
func nodeLayout(width, gpus int, beside bool, list columns.List) layout {
	columns := slices.Clone(choose(nodeColumns, columns.Overview, list))
	for i := range columns {
		switch c := &columns[i]; {
		case c.key == colCells && (width >= apartFrom || beside && width >= apartBesideFrom):
			c.least = 5 * part.CellsAcross
		case c.key == colCells && (width >= numbersFrom || beside):
			c.least = 4 * part.CellsAcross
		case c.key == colCells && gpus > part.CellsAcross && width >= manyFrom:
			c.least = 2 * part.CellsAcross
		case c.key == colHealth && width < healthSmall:
			c.least = 14
		}
	}
	return fit(width, columns, nodeGrowth, 3)
}

// layout has the places of the columns of a table.
type layout map[col]part.Span

// fit places the columns in a terminal, from the column margin on. Columns are added by priority until one does not
// fit. The remaining width is distributed in stages. Only the width decides.
func fit(width int, columns []column, growth []stage, margin int) layout {
	l := layout{}
	left := width - 1 - margin // the last column stays free
	for p, full := 1, false; p <= max(lowestPriority, len(columns)) && !full; p++ {
		for i := range columns {
			switch c := &columns[i]; {
			case c.priority != p || full:
			case left < c.gap+c.least:
				full = true
			default:
				l[c.key] = part.Span{W: c.least}
				left -= c.gap + c.least
			}
		}
	}
	l.grow(left, growth)
	x := margin
	for _, c := range columns {
		if s := l[c.key]; s.Shown() {
			s.X, s.Gap = x+c.gap, c.gap
			x = s.X + s.W
			l[c.key] = s
		}
	}
	return l
}

// grow gives out the remaining width.
func (l layout) grow(left int, growth []stage) {
	for _, s := range growth {
		shown, width := 0, 0
		for _, k := range s.keys {
			if l[k].Shown() {
				shown, width = shown+1, cmp.Or(width, l[k].W)
			}
		}
		if shown == 0 {
			continue
		}
		by := max(min(left/shown, s.most-width), 0)
		for _, k := range s.keys {
			if s := l[k]; s.Shown() {
				s.W += by
				l[k] = s
			}
		}
		left -= by * shown
	}
}

// headings writes the titles of the columns of a layout.
func headings(f *part.Frame, y int, l layout, columns []column) {
	for _, c := range columns {
		s, title := l[c.key], c.title
		if !s.Shown() {
			continue
		}
		if len(title) > s.W && c.short != "" {
			title = c.short
		}
		if c.right {
			f.Right(s.X, y, s.W, title, draw.Dim)
		} else {
			f.Left(s.X, y, s.W, title, draw.Dim)
		}
	}
}
