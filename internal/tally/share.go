package tally

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// HostPercent is how much of its node's memory a process has resident; false if that is not known.
func HostPercent(n *cluster.Node, p *wire.Process) (percent float64, known bool) {
	return share(p.RSS, n.Host.Float(metric.HostMemoryTotal))
}

// GPUShare is how much of its GPU's memory a process has, in percent; false if that is not known.
func GPUShare(g *cluster.GPU, p *wire.Process) (percent float64, known bool) {
	return share(p.GPUMemory, g.Float(metric.MemoryTotal))
}

func share(bytes *uint64, total float64) (percent float64, known bool) {
	if bytes == nil {
		return 0, false
	}
	return cluster.Percent(float64(*bytes), total)
}
