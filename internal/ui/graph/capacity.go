package graph

import (
	"math"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// pcieLane is the capacity of a PCIe lane one way, in bytes per second, by generation from 1 on.
var pcieLane = []float64{0.25e9, 0.5e9, 0.985e9, 1.969e9, 3.938e9, 7.563e9}

// pcieMost is the capacity of the PCIe link of a GPU both ways, NaN if unknown.
func pcieMost(g *cluster.GPU) float64 {
	gen, width := g.Float(metric.PCIeGenMax), g.Float(metric.PCIeWidthMax)
	if !(gen >= 1 && gen <= float64(len(pcieLane)) && width > 0) {
		return math.NaN()
	}
	return 2 * width * pcieLane[int(gen)-1]
}

// nvlinkMost is the capacity of the NVLink links of a GPU both ways, NaN if unknown. Since Blackwell a link is twice as
// fast.
func nvlinkMost(g *cluster.GPU) float64 {
	links := g.Float(metric.NVLinks)
	switch capability := g.Card.Capability; {
	case !(links > 0) || capability == "":
		return math.NaN()
	case len(capability) >= len("10.0"):
		return 2 * links * 50e9
	}
	return 2 * links * 25e9
}
