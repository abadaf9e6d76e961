// Package tally computes from a Snapshot the values that several outputs show: the GPUs of a job, totals over
// them, the lowest and the hottest, the owner of a GPU, and the ranks of a job.
//
// Everything here is a function of its arguments: it keeps no state, reads no clock, and never counts an unreported
// metric as 0. Formatting is up to the outputs. Functions may be called concurrently.
package tally

import (
	"math"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Sum is one metric over several GPUs: their sum, mean, lowest or highest value. A GPU without the metric is not
// counted as 0.
type Sum struct {
	Value float64      // NaN: no GPU has it
	Count int          // number of GPUs with the metric
	GPU   *cluster.GPU // the GPU with the lowest or the highest value
}

// Known reports whether some GPU has the metric.
func (s Sum) Known() bool { return s.Count > 0 }

// Of combines a metric over GPUs as its row in the table says. Only GPUs that also have the metrics in with are
// counted.
func Of(gpus []*cluster.GPU, id metric.ID, with ...metric.ID) Sum {
	s := sumBuilder{metricColumn: directNumber(id), sum: id.Row().Sum, Sum: Sum{Value: math.NaN()}}
	for _, id := range with {
		s.with = append(s.with, directNumber(id))
	}
	return s.sumGPUs(gpus)
}

// Lowest returns the lowest value of a metric over GPUs.
func Lowest(gpus []*cluster.GPU, id metric.ID) Sum {
	return sumNumbers(gpus, directNumber(id), metric.Lowest)
}

func sumNumbers(gpus []*cluster.GPU, n metricColumn, sum metric.Sum) Sum {
	s := sumBuilder{metricColumn: n, sum: sum, Sum: Sum{Value: math.NaN()}}
	return s.sumGPUs(gpus)
}

// sumBuilder is a Sum to which GPUs are added. A GPU counts only if it has all metrics of with.
type sumBuilder struct {
	Sum
	metricColumn
	sum  metric.Sum
	with []metricColumn
}

func (s *sumBuilder) sumGPUs(gpus []*cluster.GPU) Sum {
	for i, g := range gpus {
		s.addValue(i, g)
	}
	return s.finishSum()
}

func (s *sumBuilder) addValue(i int, g *cluster.GPU) {
	v := s.valueAt(i, g)
	if v != v || !s.hasAllNumbers(i, g) {
		return
	}
	joined := joinValues(s.sum, s.Value, v, s.Count == 0)
	if joined != s.Value {
		s.GPU = g
	}
	s.Value = joined
	s.Count++
}

func (s *sumBuilder) finishSum() Sum {
	if s.sum == metric.Mean {
		s.Value /= float64(s.Count)
	}
	return s.Sum
}

// hasAllNumbers reports whether the GPU at a position has all the metrics of with.
func (s *sumBuilder) hasAllNumbers(i int, g *cluster.GPU) bool {
	for k := range s.with {
		if v := s.with[k].valueAt(i, g); v != v {
			return false
		}
	}
	return true
}

// joinValues adds a value to the earlier ones for a sum or a mean, or keeps the lowest or the highest.
func joinValues[T float32 | float64](sum metric.Sum, before, v T, first bool) T {
	switch {
	case first:
		return v
	case sum == metric.Lowest:
		return min(before, v)
	case sum == metric.Highest:
		return max(before, v)
	}
	return before + v
}

// Totals are metrics over some GPUs.
type Totals struct {
	GPUs              int
	Util              Sum // percent
	Used, Memory      Sum // bytes, of the GPUs that have both
	Power, PowerLimit Sum // watts; the limits are of the GPUs that report a power
	Temperature       Sum // °C, of the hottest GPU
}

// Total computes the totals of GPUs, one GPU after the other: fetching one of thousands from memory takes longer than
// adding it to all sums.
func Total(gpus []*cluster.GPU) Totals { return computeTotals(gpus, directNumber) }

func computeTotals(gpus []*cluster.GPU, of func(metric.ID) metricColumn) Totals {
	t := Totals{GPUs: len(gpus)}
	sums := [...]struct {
		to *Sum
		sumBuilder
	}{
		{&t.Util, sumBuilder{metricColumn: of(metric.Util)}},
		{&t.Temperature, sumBuilder{metricColumn: of(metric.Temperature)}},
		{&t.Used, sumBuilder{metricColumn: of(metric.MemoryUsed), with: []metricColumn{of(metric.MemoryTotal)}}},
		{&t.Memory, sumBuilder{metricColumn: of(metric.MemoryTotal), with: []metricColumn{of(metric.MemoryUsed)}}},
		{&t.Power, sumBuilder{metricColumn: of(metric.Power)}},
		{&t.PowerLimit, sumBuilder{metricColumn: of(metric.PowerLimit), with: []metricColumn{of(metric.Power)}}},
	}
	for i := range sums {
		sums[i].sum, sums[i].Value = sums[i].id.Row().Sum, math.NaN()
	}
	for at, g := range gpus {
		for i := range sums {
			sums[i].addValue(at, g)
		}
	}
	for i := range sums {
		*sums[i].to = sums[i].finishSum()
	}
	return t
}

// Counted returns the number of GPUs in the least complete sum.
func (t *Totals) Counted() int {
	n := 0
	for _, s := range []Sum{t.Util, t.Used, t.Power} {
		if s.Known() && (n == 0 || s.Count < n) {
			n = s.Count
		}
	}
	return n
}

// apart is how many points below the mean a GPU must be to be named. Among nearly equal GPUs, the name would change
// with every poll.
const apart = 5

// Slowest returns the lowest utilization, and whether its GPU stands out from the rest.
func Slowest(gpus []*cluster.GPU) (low Sum, standsOut bool) { return findSlowest(gpus, directNumber) }

func findSlowest(gpus []*cluster.GPU, of func(metric.ID) metricColumn) (low Sum, standsOut bool) {
	low = sumNumbers(gpus, of(metric.Util), metric.Lowest)
	return low, low.Value <= sumNumbers(gpus, of(metric.Util), metric.Util.Row().Sum).Value-apart // false for NaN
}
