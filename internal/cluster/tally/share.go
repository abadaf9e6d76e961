package tally

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// HostPercent returns the resident memory of a process as a percentage of its node's memory; false if unknown.
func HostPercent(n *cluster.Node, p *wire.Process) (percent float64, known bool) {
	return percentOfTotal(p.RSS, n.Host.Float(metric.HostMemoryTotal))
}

// GPUShare returns the GPU memory of a process as a percentage of its GPU's memory; false if unknown.
func GPUShare(g *cluster.GPU, p *wire.Process) (percent float64, known bool) {
	return percentOfTotal(p.GPUMemory, g.Float(metric.MemoryTotal))
}

func percentOfTotal(bytes *uint64, total float64) (percent float64, known bool) {
	if bytes == nil {
		return 0, false
	}
	return cluster.Percent(float64(*bytes), total)
}
