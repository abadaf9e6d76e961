package part

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
)

// gpuCell has the facts about a GPU that a cell needs.
type gpuCell struct {
	number       int     // of the GPU
	value, level float64 // of a gauge; NaN: unknown
	high, lost   bool
}

// gpuCells are the readings of the GPUs of nodes, by the first GPU of a node: each report has new GPUs, which never
// change.
type gpuCells struct{ now, before map[*cluster.GPU][]gpuCell }

type readingsKey struct{ of tally.Gauge }

// nodeReadings returns the readings of a node's GPUs for the Scene's Gauge. A thousand nodes have so many GPUs that
// fetching them all from memory takes longer than the rest of a frame. So nodes without a new report are not read
// again.
func (s *Scene) nodeReadings(n *cluster.Node) []gpuCell {
	if len(n.GPUs) == 0 {
		return nil
	}
	all := Onward(s, readingsKey{s.Gauge}, func(before *gpuCells) *gpuCells {
		all := &gpuCells{now: map[*cluster.GPU][]gpuCell{}}
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

func readGPUs(s *Scene, n *cluster.Node) []gpuCell {
	list := make([]gpuCell, len(n.GPUs))
	for i := range list {
		g := &n.GPUs[i]
		list[i] = gpuCell{g.Number, s.Gauge.Number(g), s.Gauge.Level(g), s.Gauge.High(g), tally.Lost(g) != ""}
	}
	return list
}
