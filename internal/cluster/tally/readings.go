package tally

import (
	"math"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Readings are numbers of many GPUs, one column per number: fetching thousands of GPUs from memory takes longer than
// any computation on them. The Readings of the next Snapshot take over the columns, and read only the GPUs that have
// sent a report since: a GPU of a Snapshot never changes. Readings belong to one goroutine.
type Readings struct {
	GPUs    []*cluster.GPU
	columns map[gaugeColumn]*cells
}

// gaugeColumn is a number of a GPU: a metric, or the level of a gauge.
type gaugeColumn struct {
	id    metric.ID
	level bool
	of    Gauge
}

// cells are the numbers of a column, NaN where a GPU has none.
type cells struct {
	values []float64
	read   bool // it was read since these GPUs came
}

func (c gaugeColumn) valueOf(g *cluster.GPU) float64 {
	if c.level {
		return c.of.Level(g)
	}
	return g.Float(c.id)
}

// NewReadings returns the Readings of GPUs. It takes over the Readings before, which nobody may use any more; nil:
// there are none.
func NewReadings(gpus []*cluster.GPU, before *Readings) *Readings {
	r := &Readings{GPUs: gpus, columns: map[gaugeColumn]*cells{}}
	if before == nil || len(before.GPUs) != len(gpus) {
		return r
	}
	var changed []int
	for i, g := range gpus {
		if before.GPUs[i] != g {
			changed = append(changed, i)
		}
	}
	for of, c := range before.columns {
		if !c.read {
			continue
		}
		for _, i := range changed {
			c.values[i] = of.valueOf(gpus[i])
		}
		r.columns[of], c.read = c, false
	}
	return r
}

func (r *Readings) columnValues(of gaugeColumn) []float64 {
	c := r.columns[of]
	if c == nil {
		c = &cells{values: make([]float64, len(r.GPUs))}
		for i, g := range r.GPUs {
			c.values[i] = of.valueOf(g)
		}
		r.columns[of] = c
	}
	c.read = true
	return c.values
}

// Of returns a metric for each GPU, NaN where it is unknown. The list must not be changed.
func (r *Readings) Of(id metric.ID) []float64 { return r.columnValues(gaugeColumn{id: id}) }

// Total returns Total of the GPUs.
func (r *Readings) Total() Totals { return computeTotals(r.GPUs, r.columnNumber) }

// Slowest returns Slowest of the GPUs.
func (r *Readings) Slowest() (low Sum, standsOut bool) { return findSlowest(r.GPUs, r.columnNumber) }

// Lowest returns Lowest of the GPUs.
func (r *Readings) Lowest(id metric.ID) Sum {
	return sumNumbers(r.GPUs, r.columnNumber(id), metric.Lowest)
}

// Median returns the median of the GPUs' levels, rounded to a point, and of their numbers; NaN without any.
func (r *Readings) Median(of Gauge) (level, number float64) {
	level = medianByPoints(r.columnValues(gaugeColumn{level: true, of: of}))
	if of == GaugeTemperature {
		return level, medianByPoints(r.Of(metric.Temperature))
	}
	return level, level
}

// medianByPoints returns a median rounded to a point. It counts values instead of sorting: a job has thousands of GPUs.
func medianByPoints(values []float64) float64 {
	const most = 1 << 8
	var counts [most + 1]int
	all := 0
	for _, v := range values {
		if v == v { // false for NaN
			counts[int(min(max(v+0.5, 0), most))]++
			all++
		}
	}
	below := 0
	for v, n := range counts {
		if below += n; 2*below > all {
			return float64(v)
		}
	}
	return math.NaN()
}

// metricColumn reads one metric of GPUs.
type metricColumn struct {
	id     metric.ID
	column []float64 // the values of all of them; nil: each GPU is asked
}

func (r *Readings) columnNumber(id metric.ID) metricColumn { return metricColumn{id, r.Of(id)} }

// directNumber returns a number that asks each GPU, for when they are few.
func directNumber(id metric.ID) metricColumn { return metricColumn{id: id} }

// valueAt returns the number of the GPU at a place.
func (n *metricColumn) valueAt(i int, g *cluster.GPU) float64 {
	if n.column != nil {
		return n.column[i]
	}
	return g.Float(n.id)
}
