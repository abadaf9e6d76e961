package tally

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Without the driver's own threshold, a GPU is hot from hotUnknown °C; with it, from hotMargin below.
const (
	hotUnknown = 85
	hotMargin  = 2
)

// Hot reports whether a GPU is throttled by heat or close to it.
func Hot(g *cluster.GPU) bool {
	celsius, known := g.Get(metric.Temperature)
	slowdown, told := g.Get(metric.Slowdown)
	throttle, _ := g.Get(metric.Throttle)
	switch {
	case !known:
		return false
	case told && celsius >= slowdown-hotMargin:
		return true
	case uint64(throttle)&(wire.ThrottleHWThermal|wire.ThrottleSWThermal) != 0:
		return true
	}
	return !told && celsius >= hotUnknown
}
