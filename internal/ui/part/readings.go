package part

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
)

// reading has the facts about a GPU that a cell needs.
type reading struct {
	number       int     // of the GPU
	value, level float64 // of a gauge; NaN: unknown
	high, lost   bool
}

// readings are the readings of the GPUs of nodes, by the first GPU of a node: each report has new GPUs, which never
// change.
type readings struct{ now, before map[*cluster.GPU][]reading }

type readingsKey struct{ of tally.Gauge }

// nodeReadings returns the readings of a node's GPUs for the Scene's Gauge. A thousand nodes have so many GPUs that
// fetching them all from memory takes longer than the rest of a frame. So nodes without a new report are not read
// again.
func (s *Scene) nodeReadings(n *cluster.Node) []reading {
	if len(n.GPUs) == 0 {
		return nil
	}
	all := Onward(s, readingsKey{s.Gauge}, func(before *readings) *readings {
		all := &readings{now: map[*cluster.GPU][]reading{}}
		if before != nil {
			all.before = before.now
		}
		return all
	})
	first := &n.GPUs[0]
	known := all.now[first]
	if known == nil {
		if known = all.before[first]; known == nil {
			known = readGPUs(s, n)
		}
		all.now[first] = known
	}
	return known
}

func readGPUs(s *Scene, n *cluster.Node) []reading {
	list := make([]reading, len(n.GPUs))
	for i := range list {
		g := &n.GPUs[i]
		list[i] = reading{g.Number, s.Gauge.Number(g), s.Gauge.Level(g), s.Gauge.High(g), tally.Lost(g) != ""}
	}
	return list
}
