package ui

// col names a column of any of the tables.
type col uint8

const (
	colGPU col = iota
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

	colCount
)

// column is a column of a table: the blanks before it, its least width, and its place in the order in which columns come in as the
// terminal gets wider.
type column struct {
	key                col
	gap, min, priority int
}

// stage is one step of giving out the width that is left over: these columns grow, together, up to most.
type stage struct {
	most int
	keys []col
}

// unbounded is the most of a column that takes all the rest.
const unbounded = 1 << 16

// span is where a column stands, and the blanks before it. A column that has not come in has no width.
type span struct{ x, w, gap int }

func (s span) in() bool { return s.w > 0 }

type layout [colCount]span

var nodeColumns = []column{
	{colGPU, 0, 3, 1}, {colName, 2, 14, 10}, {colTemp, 2, 5, 3}, {colUtilBar, 2, 8, 6}, {colUtil, 1, 4, 1}, {colMemBar, 2, 8, 7}, {colUsed, 1, 13, 4},
	{colPower, 2, 10, 5}, {colClock, 2, 9, 9}, {colBandwidth, 2, 4, 11}, {colHistory, 2, 10, 8}, {colFlags, 2, 11, 2},
}

var nodeGrowth = []stage{
	{10, []col{colUtilBar, colMemBar}}, {14, []col{colFlags}}, {20, []col{colHistory}}, {16, []col{colUtilBar, colMemBar}}, {20, []col{colFlags}},
	{24, []col{colUtilBar, colMemBar}}, {60, []col{colHistory}}, {unbounded, []col{colFlags}},
}

var processColumns = []column{
	{colGPU, 0, 3, 1}, {colPID, 2, 7, 1}, {colType, 1, 1, 1}, {colUser, 2, 8, 3}, {colGPUMem, 2, 8, 4}, {colSM, 2, 4, 5}, {colBandwidth, 2, 4, 8},
	{colCPU, 2, 6, 6}, {colHostMem, 2, 5, 9}, {colTime, 2, 8, 7}, {colCommand, 2, 12, 2},
}

var processGrowth = []stage{{unbounded, []col{colCommand}}}

// The overview's cells are heights in narrow terminals and numbers in wide ones. Numbers take the room of history and bar at first: the
// only place where a wider terminal loses a column.
const overviewNumbers = 116

// overviewNarrow is the width below which HEALTH comes in small.
const overviewNarrow = 65

var overviewColumns = []column{
	{colNode, 0, 10, 1}, {colCells, 2, 8, 1}, {colAverage, 2, 4, 3}, {colHistory, 2, 12, 7}, {colMemBar, 2, 8, 8}, {colUsed, 1, 13, 6},
	{colPower, 2, 10, 5}, {colHottest, 2, 5, 4}, {colHealth, 2, 26, 2},
}

var overviewGrowth = []stage{
	{36, []col{colHealth}}, {20, []col{colHistory}}, {16, []col{colNode}}, {16, []col{colMemBar}}, {30, []col{colHistory}}, {unbounded, []col{colHealth}},
}

func nodeLayout(width int) layout { return fit(width-1, nodeColumns, nodeGrowth, 2) }

func processLayout(width int) layout { return fit(width-1, processColumns, processGrowth, 2) }

func overviewLayout(width int) layout {
	columns := make([]column, len(overviewColumns))
	copy(columns, overviewColumns)
	for i := range columns {
		switch c := &columns[i]; {
		case c.key == colCells && width >= overviewNumbers:
			c.min = 32
		case c.key == colHealth && width < overviewNarrow:
			c.min = 14
		}
	}
	return fit(width-1, columns, overviewGrowth, 3)
}

// fit places the columns in a width, from the column margin on. They come in by priority while they fit; the first that does not fit
// ends it. What is left over is given out in stages. Nothing but the width decides.
func fit(width int, columns []column, growth []stage, margin int) layout {
	var l layout
	used := margin
	for p := 1; ; p++ {
		some, ok := false, true
		for _, c := range columns {
			if c.priority != p {
				continue
			}
			some = true
			if used+c.gap+c.min > width {
				ok = false
				break
			}
			l[c.key].w = c.min
			used += c.gap + c.min
		}
		if !some || !ok {
			break
		}
	}
	l.grow(width-used, growth)
	x := margin
	for _, c := range columns {
		if l[c.key].in() {
			x += c.gap
			l[c.key].x, l[c.key].gap = x, c.gap
			x += l[c.key].w
		}
	}
	return l
}

// grow gives out the width that is left.
func (l *layout) grow(left int, growth []stage) {
	for _, s := range growth {
		var keys []col
		for _, k := range s.keys {
			if l[k].in() {
				keys = append(keys, k)
			}
		}
		if len(keys) == 0 {
			continue
		}
		by := max(min(left/len(keys), s.most-l[keys[0]].w), 0)
		for _, k := range keys {
			l[k].w += by
		}
		left -= by * len(keys)
	}
}
