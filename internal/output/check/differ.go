package check

import (
	"fmt"
	"math"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// place is a GPU of the job with its node.
type place struct {
	node *cluster.Node
	gpu  *cluster.GPU
}

// models returns the job's GPUs that report, by model.
func (e *examination) models() map[string][]place {
	of := map[string][]place{}
	for _, name := range e.job.Nodes {
		n := e.Nodes[name]
		if n == nil || n.State != cluster.NodeReporting {
			continue
		}
		for _, g := range tally.Own(e.job, n) {
			if g.Card.Name != "" && g.Reports() {
				of[g.Card.Name] = append(of[g.Card.Name], place{n, g})
			}
		}
	}
	return of
}

// property is something in which the GPUs of one model should be equal. A GPU with less than most of them is slower, or
// does less; one with more is worth knowing.
type property struct {
	value func(*cluster.GPU) float64 // NaN: not known
	text  func(own, most float64) string
}

// properties are compared for each model.
var properties = []property{
	{value: of(metric.PowerLimit), text: inUnit("The power limit is %.0f W, that of most is %.0f W.")},
	{value: of(metric.SMClockMax), text: inUnit("The highest SM clock is %.0f MHz, that of most is %.0f MHz.")},
	{value: of(metric.MemClockMax), text: inUnit("The highest memory clock is %.0f MHz, that of most is %.0f MHz.")},
	{value: of(metric.PCIeGenMax), text: inUnit("The slot has PCIe generation %.0f, that of most has %.0f.")},
	{value: of(metric.PCIeWidthMax), text: inUnit("The slot has %.0f PCIe lanes, that of most has %.0f.")},
	{value: of(metric.MemoryTotal), text: func(own, most float64) string {
		return fmt.Sprintf("It has %.1f GiB of memory, most have %.1f GiB.", own/signs.GiB, most/signs.GiB)
	}},
	{value: of(metric.ECCMode), text: inState("ECC is")},
	{value: clocksFree, text: func(own, _ float64) string {
		if own > 0 {
			return "A setting limits the clocks of most, and not of this one."
		}
		return "A setting limits its clocks (application clocks), and not those of most."
	}},
}

func of(id metric.ID) func(*cluster.GPU) float64 {
	return func(g *cluster.GPU) float64 { return g.Float(id) }
}

func inUnit(format string) func(own, most float64) string {
	return func(own, most float64) string { return fmt.Sprintf(format, own, most) }
}

func inState(what string) func(own, most float64) string {
	return func(own, _ float64) string {
		if own > 0 {
			return what + " on, and off on most."
		}
		return what + " off, and on on most."
	}
}

// clocksFree returns 0 if somebody has limited the clocks of a GPU, otherwise 1.
func clocksFree(g *cluster.GPU) float64 {
	switch {
	case !g.Values.Has(metric.Throttle):
		return math.NaN()
	case signs.Reasons(g)&wire.ThrottleAppClocks != 0:
		return 0
	}
	return 1
}

// same is the share of a value by which another one may differ from it and count as equal.
const same = 0.01

// isLess reports whether a value is less than another one, and not just by rounding.
func isLess(a, b float64) bool { return a < b*(1-same) }

// mostFrequent returns the value that most GPUs have; of several that are equally frequent, the highest. It returns NaN
// if no value is known.
func mostFrequent(values []float64) float64 {
	best, most := math.NaN(), 0
	for _, v := range values {
		count := 0
		for _, other := range values {
			if !isLess(v, other) && !isLess(other, v) {
				count++
			}
		}
		if v == v && (count > most || count == most && v > best) {
			best, most = v, count
		}
	}
	return best
}

// differing finds GPUs that differ from most GPUs of their model.
func (e *examination) differing() (found []Finding) {
	for model, gpus := range e.models() {
		for _, p := range properties {
			values := make([]float64, len(gpus))
			for i := range gpus {
				values[i] = p.value(gpus[i].gpu)
			}
			most := mostFrequent(values)
			for i, own := range values {
				less := isLess(own, most)
				if !less && !isLess(most, own) {
					continue
				}
				f := Finding{Kind: KindDiffers, Text: p.text(own, most), severity: cluster.Note,
					Hint: "most: the job's GPUs of the model " + tally.ShortModel(model)}
				if less {
					f.severity, f.excludes = cluster.Warning, true
				}
				found = append(found, ofGPU(gpus[i].node, gpus[i].gpu, f))
			}
		}
	}
	return found
}
