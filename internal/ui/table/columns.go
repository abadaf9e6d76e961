package table

import "github.com/nvnodetop/nvnodetop/internal/ui/part"

// The columns of all tables.
const (
	colGPU part.Col = iota
	colName
	colTemp
	colUtilBar
	colUtil
	colMemBar
	colUsed
	colPower
	colClock
	colBandwidth
	colHistory
	colFlags

	colPID
	colType
	colUser
	colGPUMem
	colSM
	colCPU
	colHostMem
	colTime
	colCommand

	colNode
	colCells
	colAverage
	colHottest
	colHealth
)

var gpuColumns = []part.Column{
	part.NewColumn(colGPU, 0, 3, 1), part.NewColumn(colName, 2, 14, 10), part.NewColumn(colTemp, 2, 5, 3), part.NewColumn(colUtilBar, 2, 8, 6), part.NewColumn(colUtil, 1, 4, 1), part.NewColumn(colMemBar, 2, 8, 7), part.NewColumn(colUsed, 1, 13, 4),
	part.NewColumn(colPower, 2, 10, 5), part.NewColumn(colClock, 2, 9, 9), part.NewColumn(colBandwidth, 2, 4, 11), part.NewColumn(colHistory, 2, 10, 8), part.NewColumn(colFlags, 2, 11, 2),
}

var gpuGrowth = []part.Stage{
	part.Grow(10, colUtilBar, colMemBar), part.Grow(14, colFlags), part.Grow(20, colHistory), part.Grow(16, colUtilBar, colMemBar), part.Grow(20, colFlags),
	part.Grow(24, colUtilBar, colMemBar), part.Grow(60, colHistory), part.Grow(part.Unbounded, colFlags),
}

var processColumns = []part.Column{
	part.NewColumn(colGPU, 0, 3, 1), part.NewColumn(colPID, 2, 7, 1), part.NewColumn(colType, 1, 1, 1), part.NewColumn(colUser, 2, 8, 3), part.NewColumn(colGPUMem, 2, 8, 4), part.NewColumn(colSM, 2, 4, 5), part.NewColumn(colBandwidth, 2, 4, 8),
	part.NewColumn(colCPU, 2, 6, 6), part.NewColumn(colHostMem, 2, 5, 9), part.NewColumn(colTime, 2, 8, 7), part.NewColumn(colCommand, 2, 12, 2),
}

var processGrowth = []part.Stage{part.Grow(part.Unbounded, colCommand)}

// The cells of the nodes are heights in narrow terminals and numbers in wide ones. Numbers take the room of history and bar at first: the
// only place where a wider terminal loses a column.
const numbersFrom = 116

// healthSmall is the width below which HEALTH comes in small.
const healthSmall = 65

var nodeColumns = []part.Column{
	part.NewColumn(colNode, 0, 10, 1), part.NewColumn(colCells, 2, 8, 1), part.NewColumn(colAverage, 2, 4, 3), part.NewColumn(colHistory, 2, 12, 7), part.NewColumn(colMemBar, 2, 8, 8), part.NewColumn(colUsed, 1, 13, 6),
	part.NewColumn(colPower, 2, 10, 5), part.NewColumn(colHottest, 2, 5, 4), part.NewColumn(colHealth, 2, 26, 2),
}

var nodeGrowth = []part.Stage{
	part.Grow(36, colHealth), part.Grow(20, colHistory), part.Grow(16, colNode), part.Grow(16, colMemBar), part.Grow(30, colHistory), part.Grow(part.Unbounded, colHealth),
}

func gpuLayout(width int) part.Layout { return part.Fit(width, gpuColumns, gpuGrowth, 2) }

func processLayout(width int) part.Layout { return part.Fit(width, processColumns, processGrowth, 2) }

func nodeLayout(width int) part.Layout {
	columns := make([]part.Column, len(nodeColumns))
	copy(columns, nodeColumns)
	for i := range columns {
		switch c := &columns[i]; {
		case c.Key == colCells && width >= numbersFrom:
			c.Min = 32
		case c.Key == colHealth && width < healthSmall:
			c.Min = 14
		}
	}
	return part.Fit(width, columns, nodeGrowth, 3)
}
