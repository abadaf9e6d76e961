package tally

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// A GPU is hot from hotMargin degrees below the driver's own threshold. Without a threshold it is hot from hotUnknown
// °C.
const (
	hotUnknown = 85
	hotMargin  = 2
)

// HotFrom returns the temperature from which a GPU is close to being throttled by heat.
func HotFrom(g *cluster.GPU) float64 {
	if slowdown, told := g.Get(metric.Slowdown); told {
		return slowdown - hotMargin
	}
	return hotUnknown
}

// Thermal are the throttle reasons for heat.
const Thermal = wire.ThrottleHWThermal | wire.ThrottleSWThermal

// Hot reports whether a GPU is throttled by heat or close to it.
func Hot(g *cluster.GPU) bool {
	celsius, known := g.Get(metric.Temperature)
	throttle, _ := g.Get(metric.Throttle)
	return known && (celsius >= HotFrom(g) || uint64(throttle)&Thermal != 0)
}
