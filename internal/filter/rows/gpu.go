// Package rows is what filters see of the rows of the pages: nodes, processes and ranks, problems. Each kind has its Fields and a Subject.
//
// A Subject is one value that stands for row after row, so it belongs to one goroutine. What a node has not reported is absent, and the
// numbers are those that the pages show: those of a node that does not respond are old.
package rows

import (
	"math"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/tally"
)

// ofGPUs are the fields that rows about GPUs have.
var ofGPUs = []filter.Key{
	filter.Util, filter.Temperature, filter.Power, filter.MemoryUsed, filter.MemoryTotal, filter.MemoryPercent, filter.GPU, filter.Model, filter.Driver, filter.UUID, filter.Bus,
	filter.Device, filter.PState, filter.NUMA,
}

// gpuValues appends what GPUs of a node have in a field: of a number that the pages add up one value, of all else one each.
func gpuValues(to []filter.Value, key filter.Key, n *cluster.Node, gpus []*cluster.GPU) []filter.Value {
	switch key {
	case filter.Util:
		return number(to, tally.Of(gpus, metric.Util).Value)
	case filter.Lowest:
		return number(to, tally.Lowest(gpus, metric.Util).Value)
	case filter.Temperature:
		return number(to, tally.Of(gpus, metric.Temperature).Value)
	case filter.Power:
		return number(to, tally.Of(gpus, metric.Power).Value)
	case filter.MemoryUsed:
		return number(to, tally.Of(gpus, metric.MemoryUsed).Value)
	case filter.MemoryTotal:
		return number(to, tally.Of(gpus, metric.MemoryTotal).Value)
	case filter.MemoryPercent:
		used, all := tally.Of(gpus, metric.MemoryUsed, metric.MemoryTotal), tally.Of(gpus, metric.MemoryTotal, metric.MemoryUsed)
		if percent, known := cluster.Percent(used.Value, all.Value); known {
			return number(to, percent)
		}
	case filter.Driver:
		if n.Hello != nil {
			return word(to, n.Hello.Driver)
		}
	default:
		for _, g := range gpus {
			to = identity(to, key, g)
		}
	}
	return to
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
	case filter.PState:
		return number(to, g.Float(metric.PerformanceState))
	case filter.NUMA:
		return number(to, g.Float(metric.NUMANode))
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
		return word(word(to, string(f.Kind)), health.LabelOf(f).One)
	case filter.Severity:
		return word(to, f.Severity.String())
	case filter.Letter:
		if letter := health.LabelOf(f).Letter; letter != 0 {
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
