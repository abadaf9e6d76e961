package tally

import (
	"math"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Gauge is a value by which GPUs are compared, on a scale common to all models.
type Gauge uint8

// The gauges.
const (
	GaugeUtil        Gauge = iota
	GaugePower             // of the limit
	GaugeClock             // of the highest SM clock
	GaugeMemory            // of the GPU's memory
	GaugeTemperature       // of the temperature at which the GPU slows down
	Gauges                 // number of gauges
)

// gauges describe the reading of each gauge.
var gauges = [Gauges]struct {
	id      metric.ID
	most    func(g *cluster.GPU) float64 // value of a full gauge; NaN: unknown
	highest bool                         // of several GPUs, the highest matters and not the lowest
}{
	GaugeUtil:        {metric.Util, func(*cluster.GPU) float64 { return 100 }, false},
	GaugePower:       {metric.Power, powerLimit, false},
	GaugeClock:       {metric.SMClock, limitFrom(metric.SMClockMax), false},
	GaugeMemory:      {metric.MemoryUsed, limitFrom(metric.MemoryTotal), true},
	GaugeTemperature: {metric.Temperature, slowdownLimit, true},
}

func limitFrom(by metric.ID) func(*cluster.GPU) float64 {
	return func(g *cluster.GPU) float64 { return g.Float(by) }
}

func powerLimit(g *cluster.GPU) float64 {
	if v, known := g.PowerLimit(); known {
		return v
	}
	return math.NaN()
}

func slowdownLimit(g *cluster.GPU) float64 {
	if v, told := g.Get(metric.Slowdown); told {
		return v
	}
	return hotUnknown
}

// Next returns the next gauge; the first one follows the last.
func (a Gauge) Next() Gauge { return (a + 1) % Gauges }

// Highest reports whether the GPU with the highest level matters most. Otherwise it is the GPU with the lowest level.
func (a Gauge) Highest() bool { return gauges[a].highest }

// Level returns the level of a GPU's gauge, in percent; NaN if unknown.
func (a Gauge) Level(g *cluster.GPU) float64 {
	percent, known := cluster.Percent(g.Float(gauges[a].id), gauges[a].most(g))
	if !known {
		return math.NaN()
	}
	return percent
}

// Number returns the number to show for a GPU: °C for the temperature, percent for all others; NaN if unknown.
func (a Gauge) Number(g *cluster.GPU) float64 {
	if a == GaugeTemperature {
		return g.Float(metric.Temperature)
	}
	return a.Level(g)
}

// High reports whether a GPU's number is so high that it deserves a look, as far as this gauge allows such a judgment.
func (a Gauge) High(g *cluster.GPU) bool {
	switch a {
	case GaugeTemperature:
		return Hot(g)
	case GaugeMemory:
		return a.Level(g) >= MemoryFull
	}
	return false
}

// MemoryFull is the percentage of memory from which the level deserves a look. Below it, allocators fill the memory on
// purpose.
const MemoryFull = 98

// Mean returns the mean over the GPUs with this number. A GPU with a higher limit counts more.
func (a Gauge) Mean(gpus []*cluster.GPU) Sum {
	s, most := Sum{Value: math.NaN()}, 0.0
	sum := 0.0
	for _, g := range gpus {
		v, full := g.Float(gauges[a].id), gauges[a].most(g)
		if math.IsNaN(v + full) {
			continue
		}
		sum, most, s.Count = sum+v, most+full, s.Count+1
	}
	if percent, known := cluster.Percent(sum, most); known {
		s.Value = percent
	}
	if a == GaugeTemperature && s.Count > 0 {
		s.Value = sum / float64(s.Count)
	}
	return s
}

// Outer returns n levels up to the bin newest, each of the GPU that matters most in that bin, for a gauge with a
// history. A bin without any GPU is a gap. Unlike trend.Of it ends at the caller's bin, so that rows of several nodes
// line up.
func (a Gauge) Outer(gpus []*cluster.GPU, newest int64, n int) []float32 {
	sum := metric.Lowest
	if gauges[a].highest {
		sum = metric.Highest
	}
	outer := slices.Repeat([]float32{history.Gap}, n)
	var bins []float32
	for _, g := range gpus {
		bins = g.History.Tail(bins, gauges[a].id, newest, n)
		scale := float32(100 / gauges[a].most(g))
		for i, v := range bins {
			if v *= scale; v == v { // false for a gap
				outer[i] = joinValues(sum, outer[i], v, outer[i] != outer[i])
			}
		}
	}
	return outer
}

// OuterNow returns the number of the GPU that matters most, and whether it stands out from the rest.
func (a Gauge) OuterNow(gpus []*cluster.GPU) (outer Sum, standsOut bool) {
	outer.Value = math.NaN()
	for _, g := range gpus {
		v := a.Number(g)
		if v != v {
			continue
		}
		if outer.Count++; outer.GPU == nil || gauges[a].highest && v > outer.Value || !gauges[a].highest &&
			v < outer.Value {
			outer.Value, outer.GPU = v, g
		}
	}
	return outer, math.Abs(a.Mean(gpus).Value-outer.Value) >= apart // false for NaN
}
