package table

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/columns"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// keyOf are the columns that can be chosen, by their names.
var keyOf = map[columns.Table]map[string]col{
	columns.Node: {
		"gpu": colGPU, "rank": colRank, "name": colName, "temp": colTemp, "util_bar": colUtilBar, "util": colUtil,
		"mem_bar": colMemBar, "mem": colUsed,
		"power": colPower, "clocks": colClock, "mem_rw": colMemRW, "history": colHistory, "flags": colFlags,
	},
	columns.Processes: {
		"gpu": colGPU, "pid": colPID, "type": colType, "user": colUser, "rank": colRank, "gpu_mem": colGPUMem,
		"sm": colSM, "mem_rw": colMemRW,
		"cpu": colCPU, "host_mem": colHostMem, "time": colTime, "state": colState, "threads": colThreads,
		"command": colCommand,
	},
	columns.Overview: {
		"node": colNode, "gpus": colCells, "util": colUtil, "history": colHistory, "mem_bar": colMemBar, "mem": colUsed,
		"power": colPower,
		"temp":  colHottest, "health": colHealth,
	},
}

// chosenGap is the gap between columns that are not neighbors by default.
const chosenGap = 2

// choose returns the columns of a list, in its order, which is also the order in which they come in; all where the list
// is empty. What a row is about (a GPU, a node) always comes first: sentences stand behind it where there are no cells.
// Processes on several nodes, or of several jobs, begin with those.
func choose(all []column, t columns.Table, list columns.List) []column {
	names := list.Names()
	if names == nil {
		return all
	}
	keys := []col{all[0].key}
	if t == columns.Processes {
		keys = []col{colNode, colJob} // where there are several
	}
	for _, name := range names {
		if k := keyOf[t][name]; !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	var chosen []column
	before := -1
	for _, k := range keys {
		at := slices.IndexFunc(all, func(c column) bool { return c.key == k })
		if at < 0 {
			continue
		}
		c := all[at]
		c.priority = len(chosen) + 1
		switch {
		case len(chosen) == 0:
			c.gap = 0
		case at != before+1:
			c.gap = max(c.gap, chosenGap)
		}
		chosen, before = append(chosen, c), at
	}
	return chosen
}

// behind is the column after that of what a row is about.
func behind(s part.Span) int { return s.X + s.W + chosenGap }
