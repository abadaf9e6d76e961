// Package rows is what filters see of the rows of the pages: nodes, processes and ranks, problems. Each kind has its
// Fields and a Subject.
//
// A Subject is one value that stands for row after row, so it belongs to one goroutine. What a node has not reported is
// absent, and the numbers are those that the pages show: those of a node that does not respond are old.
package rows

import (
	"math"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/tally"
)

// ofGPUs are the fields that rows about GPUs have.
var ofGPUs = []filter.Key{
	filter.Util, filter.Temperature, filter.Power, filter.MemoryUsed, filter.MemoryTotal, filter.MemoryPercent,
	filter.GPU, filter.Model, filter.Driver, filter.UUID, filter.Bus,
	filter.Device, filter.PState, filter.NUMA,
}

// overGPUs are the fields of rows about several GPUs: the numbers that the pages work out of them.
var overGPUs = []filter.Key{filter.Lowest, filter.UtilMean, filter.PowerSum, filter.MemorySum, filter.MemoryMean}

// metrics are the numbers that each GPU has.
var metrics = map[filter.Key]metric.ID{
	filter.Util: metric.Util, filter.Temperature: metric.Temperature, filter.Power: metric.Power,
	filter.MemoryUsed: metric.MemoryUsed, filter.MemoryTotal: metric.MemoryTotal,
	filter.PState: metric.PerformanceState, filter.NUMA: metric.NUMANode,
}

// gpuValues appends what GPUs of a node have in a field: one value each, and one of what the pages work out of them.
func gpuValues(to []filter.Value, key filter.Key, n *cluster.Node, gpus []*cluster.GPU) []filter.Value {
	if key == filter.Driver {
		if n.Hello != nil {
			return word(to, n.Hello.Driver)
		}
		return to
	}
	if slices.Contains(overGPUs, key) {
		return number(to, sumOf(key, gpus))
	}
	for _, g := range gpus {
		to = ofGPU(to, key, g)
	}
	return to
}

// sumOf is what the pages work out of GPUs, NaN if it is unknown.
func sumOf(key filter.Key, gpus []*cluster.GPU) float64 {
	switch key {
	case filter.Lowest:
		return tally.Lowest(gpus, metric.Util).Value
	case filter.UtilMean:
		return tally.Of(gpus, metric.Util).Value
	case filter.PowerSum:
		return tally.Of(gpus, metric.Power).Value
	case filter.MemorySum:
		return tally.Of(gpus, metric.MemoryUsed).Value
	}
	used, all := tally.Of(gpus, metric.MemoryUsed, metric.MemoryTotal),
		tally.Of(gpus, metric.MemoryTotal, metric.MemoryUsed)
	if percent, known := cluster.Percent(used.Value, all.Value); known {
		return percent
	}
	return math.NaN()
}

// ofGPU appends what one GPU has in a field.
func ofGPU(to []filter.Value, key filter.Key, g *cluster.GPU) []filter.Value {
	if id, is := metrics[key]; is {
		return number(to, g.Float(id))
	}
	if key == filter.MemoryPercent {
		if percent, known := cluster.Percent(g.Float(metric.MemoryUsed), g.Float(metric.MemoryTotal)); known {
			return number(to, percent)
		}
	}
	return identity(to, key, g)
}

// identity appends what tells a GPU from others.
func identity(to []filter.Value, key filter.Key, g *cluster.GPU) []filter.Value {
	switch key {
	case filter.GPU:
		return gpuNumber(to, g.Number)
	case filter.Model:
		return word(to, tally.ShortModel(g.Card.Name))
	case filter.UUID:
		return word(to, g.Card.UUID)
	case filter.Bus:
		return word(to, g.Card.PCIBus)
	case filter.Device:
		if g.Instance() {
			return word(to, "MIG")
		}
		return word(to, "GPU")
	}
	return to
}

// gpuNumber appends the number of a GPU, if it is known.
func gpuNumber(to []filter.Value, n int) []filter.Value {
	if n == cluster.NoNumber {
		return to
	}
	return number(to, float64(n))
}

// finding appends what a finding has in a field.
func finding(to []filter.Value, key filter.Key, f *cluster.Finding) []filter.Value {
	switch key {
	case filter.Problem:
		return word(word(to, string(f.Kind)), say.LabelOf(f).One)
	case filter.Severity:
		return word(to, f.Severity.String())
	case filter.Letter:
		if letter := say.LabelOf(f).Letter; letter != 0 {
			return word(to, string(rune(letter)))
		}
	}
	return to
}

// word appends a text, if there is one.
func word(to []filter.Value, s string) []filter.Value {
	if s == "" {
		return to
	}
	return append(to, filter.Value{Text: s})
}

// number appends a number, if it is known.
func number(to []filter.Value, v float64) []filter.Value {
	if math.IsNaN(v) {
		return to
	}
	return append(to, filter.Value{Number: v})
}

// known appends a number, if it is known.
func known[T int | int64 | uint64 | float64](to []filter.Value, v *T) []filter.Value {
	if v == nil {
		return to
	}
	return number(to, float64(*v))
}
