package overview

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Grid is how the overview shows nodes.
type Grid uint8

// Ways to show nodes.
const (
	GridAuto Grid = iota // rows if they fit, otherwise the heat map
	GridRows
	GridMap
)

// viewOptions is the way in which the nodes are shown.
type viewOptions struct {
	Grid  Grid
	Times bool        // over time, in place of the grid
	Gauge tally.Gauge // what the cells show
}

// asHeatMap reports whether the nodes are shown as a heat map: because the user has chosen it, or because they do not
// all fit as rows.
func (l *viewOptions) asHeatMap(s *part.Scene) bool {
	switch {
	case s.W < heatMapLeast || l.Times || l.Grid == GridRows:
		return false
	case l.Grid == GridMap:
		return true
	}
	return len(s.Job.Nodes) > s.H-overviewFrame
}

// nextLook switches to the next way to show the nodes: as a table, as a heat map, over time.
func (l *viewOptions) nextLook(s *part.Scene) {
	switch {
	case l.Times:
		l.Grid, l.Times = GridRows, false
	case l.asHeatMap(s):
		l.Times = true
	default:
		l.Grid = GridMap
	}
}

// nextLookHint is the key that leads to the next way.
func (l *viewOptions) nextLookHint(s *part.Scene) keys.Hint {
	turn := keys.HintOf(keys.Grid)
	switch {
	case l.Times:
		return turn.As("table")
	case l.asHeatMap(s):
		return turn.As("time")
	}
	return turn.As("map")
}

// arrowHints is the hint of the arrows that lead to the left and to the right.
func (l *viewOptions) arrowHints(s *part.Scene) []keys.Hint {
	switch beside := keys.HintOf(keys.Left, keys.Right); {
	case l.Times:
		return nil
	case l.asHeatMap(s):
		return []keys.Hint{beside.As("node")}
	default:
		return []keys.Hint{beside.As("GPU")}
	}
}
