// Package tally computes from a Snapshot the values that several outputs show: the GPUs of a job, totals over
// them, the lowest and the hottest, the owner of a GPU, and the ranks of a job.
//
// Everything here is a function of its arguments: it keeps no state, reads no clock, and never counts an unreported
// metric as 0. Formatting is up to the outputs. Functions may be called concurrently.
package tally

import (
	"math"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// Sum is one metric over some GPUs: their sum, mean, lowest or highest. A GPU without the metric is not counted as 0.
type Sum struct {
	Value float64      // NaN: no GPU has it
	Count int          // number of GPUs with the metric
	GPU   *cluster.GPU // the GPU with the lowest or the highest value
}

// Known reports whether some GPU has the metric.
func (s Sum) Known() bool { return s.Count > 0 }

// Of combines a metric over GPUs as its row in the table says. Only GPUs that also have the metrics with count.
func Of(gpus []*cluster.GPU, id metric.ID, with ...metric.ID) Sum {
	return over(gpus, id, id.Row().Sum, with...)
}

// Lowest returns the lowest value of a metric over GPUs.
func Lowest(gpus []*cluster.GPU, id metric.ID) Sum { return over(gpus, id, metric.Lowest) }

func over(gpus []*cluster.GPU, id metric.ID, sum metric.Sum, with ...metric.ID) Sum {
	s := summing{id: id, sum: sum, with: with, Sum: Sum{Value: math.NaN()}}
	for _, g := range gpus {
		s.add(g)
	}
	return s.done()
}

// summing is a Sum to which GPUs are added, as far as they have all of with too.
type summing struct {
	Sum
	id   metric.ID
	sum  metric.Sum
	with []metric.ID
}

func (s *summing) add(g *cluster.GPU) {
	v, known := g.Get(s.id)
	if !known || !gives(g, s.with) {
		return
	}
	joined := join(s.sum, s.Value, v, s.Count == 0)
	if joined != s.Value {
		s.GPU = g
	}
	s.Value = joined
	s.Count++
}

func (s *summing) done() Sum {
	if s.sum == metric.Mean {
		s.Value /= float64(s.Count)
	}
	return s.Sum
}

// gives reports whether a GPU has all these metrics.
func gives(g *cluster.GPU, ids []metric.ID) bool {
	for _, id := range ids {
		if _, known := g.Get(id); !known {
			return false
		}
	}
	return true
}

// join adds a value to the earlier ones, for a sum or a mean, or keeps the lowest or the highest.
func join[T float32 | float64](sum metric.Sum, before, v T, first bool) T {
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
	Used, Memory      Sum // bytes, of the GPUs with both
	Power, PowerLimit Sum // watts; the limits of the GPUs with a power
	Temperature       Sum // °C, of the hottest GPU
}

// Total computes the totals of GPUs, one GPU after the other: to fetch one of thousands from memory takes longer than
// to add it to all sums.
func Total(gpus []*cluster.GPU) Totals {
	t := Totals{GPUs: len(gpus)}
	of := [...]struct {
		to *Sum
		summing
	}{
		{&t.Util, summing{id: metric.Util}}, {&t.Temperature, summing{id: metric.Temperature}},
		{&t.Used, summing{id: metric.MemoryUsed, with: []metric.ID{metric.MemoryTotal}}},
		{&t.Memory, summing{id: metric.MemoryTotal, with: []metric.ID{metric.MemoryUsed}}},
		{&t.Power, summing{id: metric.Power}},
		{&t.PowerLimit, summing{id: metric.PowerLimit, with: []metric.ID{metric.Power}}},
	}
	for i := range of {
		of[i].sum, of[i].Value = of[i].id.Row().Sum, math.NaN()
	}
	for _, g := range gpus {
		for i := range of {
			of[i].add(g)
		}
	}
	for i := range of {
		*of[i].to = of[i].done()
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

// apart is the number of points below the mean from which a GPU is named. Among equals the name would change with every
// poll.
const apart = 5

// Slowest returns the lowest utilization, and whether its GPU stands out from the rest.
func Slowest(gpus []*cluster.GPU) (low Sum, standsOut bool) {
	low = over(gpus, metric.Util, metric.Lowest)
	return low, low.Value <= Of(gpus, metric.Util).Value-apart // false for NaN
}
