package tally

import (
	"math"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// Gauge is a number of a GPU by which GPUs are compared, on a scale that those of different models share.
type Gauge uint8

// The gauges.
const (
	GaugeUtil        Gauge = iota
	GaugePower             // of the limit
	GaugeClock             // of the highest SM clock
	GaugeMemory            // of the GPU's memory
	GaugeTemperature       // of the temperature at which the GPU slows down
	Gauges                 // how many there are
)

// gauges say how each gauge is read.
var gauges = [Gauges]struct {
	id      metric.ID
	most    func(g *cluster.GPU) float64 // what a full gauge is; NaN: not known
	highest bool                         // the highest of several GPUs is the one to see, not the lowest
}{
	GaugeUtil:        {metric.Util, func(*cluster.GPU) float64 { return 100 }, false},
	GaugePower:       {metric.Power, powerLimit, false},
	GaugeClock:       {metric.SMClock, limited(metric.SMClockMax), false},
	GaugeMemory:      {metric.MemoryUsed, limited(metric.MemoryTotal), true},
	GaugeTemperature: {metric.Temperature, slowdown, true},
}

func limited(by metric.ID) func(*cluster.GPU) float64 {
	return func(g *cluster.GPU) float64 { return g.Float(by) }
}

func powerLimit(g *cluster.GPU) float64 {
	if v, known := g.PowerLimit(); known {
		return v
	}
	return math.NaN()
}

func slowdown(g *cluster.GPU) float64 {
	if v, told := g.Get(metric.Slowdown); told {
		return v
	}
	return hotUnknown
}

// Next is the gauge after this one, round the end.
func (a Gauge) Next() Gauge { return (a + 1) % Gauges }

// Highest says that of several GPUs the one with the highest level is the one to see. Otherwise it is the one with the
// lowest.
func (a Gauge) Highest() bool { return gauges[a].highest }

// Level is how full the gauge of a GPU is, in percent; NaN if that is not known.
func (a Gauge) Level(g *cluster.GPU) float64 {
	percent, known := cluster.Percent(g.Float(gauges[a].id), gauges[a].most(g))
	if !known {
		return math.NaN()
	}
	return percent
}

// Number is the number to write for a GPU: °C for the temperature, percent for all others; NaN if it is not known.
func (a Gauge) Number(g *cluster.GPU) float64 {
	if a == GaugeTemperature {
		return g.Float(metric.Temperature)
	}
	return a.Level(g)
}

// High says that the number of a GPU is worth a look for being high, as far as that can be said of this gauge.
func (a Gauge) High(g *cluster.GPU) bool {
	switch a {
	case GaugeTemperature:
		return Hot(g)
	case GaugeMemory:
		return a.Level(g) >= MemoryFull
	}
	return false
}

// MemoryFull is the percentage from which the level of the memory is worth a look. Below it allocators fill it on
// purpose.
const MemoryFull = 98

// Mean is the number of several GPUs together, of those that give it. A GPU with a higher limit counts more.
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

// Outer is the n levels up to the bin newest of the GPU that is the one to see in each, of a gauge whose past is kept.
// A bin that no GPU has is a gap. Unlike Series it ends where the caller says, so that those of several nodes stand
// below each other.
func (a Gauge) Outer(gpus []*cluster.GPU, newest int64, n int) []float32 {
	sum := metric.Lowest
	if gauges[a].highest {
		sum = metric.Highest
	}
	outer := make([]float32, n)
	for i := range outer {
		outer[i] = history.Gap
	}
	var bins []float32
	for _, g := range gpus {
		bins = g.History.Tail(bins, gauges[a].id, newest, n)
		scale := float32(100 / gauges[a].most(g))
		for i, v := range bins {
			if v *= scale; v == v { // no gap
				outer[i] = join(sum, outer[i], v, outer[i] != outer[i])
			}
		}
	}
	return outer
}

// OuterNow is the number of the GPU that is the one to see, and whether it stands out from the rest.
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
	return outer, math.Abs(a.Mean(gpus).Value-outer.Value) >= apart // not for NaN
}
