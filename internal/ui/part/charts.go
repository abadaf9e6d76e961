package part

import (
	"math"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/tally"
)

// NodeGraphs draws the numbers of the job's GPUs of the selected node over time, below row y as far as there is room.
func NodeGraphs(f *Frame, y int) {
	gpus := f.Own(nil, f.Node)
	if len(gpus) == 0 {
		return
	}
	t := tally.Total(gpus)
	charts := []chart{share("Utilization %, mean of "+strconv.Itoa(len(gpus)), t.Util.Mean(), true, func(n int) []float32 { return f.Memory.Mean(gpus, n) })}
	charts = append(charts, slowestChart(f, gpus, GPUNumber)...)
	charts = append(charts, powerChart(f, gpus, &t, false)...)
	charts = append(charts, memoryChart(f, gpus, &t)...)
	graphs(f, y, "This node over time", "newest at the right", tally.Edge(gpus...), charts)
}

// JobGraphs draws the job's numbers over time, below row y as far as there is room.
func JobGraphs(f *Frame, y int) {
	gpus := tally.Fresh(f.Snap, f.Job)
	if len(gpus) == 0 || f.H-y < graphLeast+graphFrame+3 {
		return
	}
	t := tally.Total(gpus)
	now := cluster.Gap
	if m := f.Memory.Median(gpus, 1); len(m) > 0 {
		now = m[0]
	}
	charts := []chart{share("Utilization %, median", float64(now), true, func(n int) []float32 { return f.Memory.Median(gpus, n) })}
	charts = append(charts, slowestChart(f, gpus, f.GPUName)...)
	charts = append(charts, powerChart(f, gpus, &t, true)...)
	charts = append(charts, heatChart(f, gpus, &t)...)
	graphs(f, y, "Job over time", Plural(len(gpus), "GPU", "GPUs"), tally.Edge(gpus...), charts)
}

// share is a chart of percents.
func share(title string, now float64, area bool, samples func(n int) []float32) chart {
	return chart{title: title, now: Percent(now), top: "100", bottom: "0", high: 100, area: area, samples: samples}
}

// slowestChart is a chart of the GPU that does the least; of a single GPU it would be the one of its utilisation.
func slowestChart(f *Frame, gpus []*cluster.GPU, name func(*cluster.GPU) string) []chart {
	if len(gpus) < 2 {
		return nil
	}
	who, now := "", math.NaN()
	if low, standsOut := tally.Slowest(gpus); low != nil {
		now = low.Float(metric.Util)
		if standsOut {
			who = "  (" + name(low) + ")"
		}
	}
	return []chart{share("Slowest GPU %"+who, now, false, func(n int) []float32 { return f.Memory.Lowest(gpus, n) })}
}

// sumChart is a chart of an amount up to its limit. Without a limit there is no scale, and no chart.
func sumChart(title string, a Amount, gpus int, high float64, samples func(n int) []float32) []chart {
	if a.Most == "" {
		return nil
	}
	return []chart{{
		title: title + " " + a.Unit + ", sum of " + strconv.Itoa(gpus), now: a.Now + a.Unit, top: a.Most, bottom: "0", high: high, area: true, samples: samples,
	}}
}

func powerChart(f *Frame, gpus []*cluster.GPU, t *tally.Totals, large bool) []chart {
	return sumChart("Power", Power(t, Unbounded, large), t.Power.Count, t.PowerLimit.Value, func(n int) []float32 {
		return f.Memory.Amount(gpus, metric.Power, n)
	})
}

func memoryChart(f *Frame, gpus []*cluster.GPU, t *tally.Totals) []chart {
	counted := slices.DeleteFunc(slices.Clone(gpus), func(g *cluster.GPU) bool { return !g.Values.Has(metric.MemoryUsed) })
	return sumChart("Memory", MemoryUsed(t), t.Used.Count, t.Memory.Value, func(n int) []float32 {
		return f.Memory.Amount(counted, metric.MemoryUsed, n)
	})
}

// The scale of temperatures: below it nothing is of interest, above it GPUs turn themselves off.
const coolest, hottestEver = 30, 100

func heatChart(f *Frame, gpus []*cluster.GPU, t *tally.Totals) []chart {
	if t.Hottest == nil {
		return nil
	}
	return []chart{{
		title: "Hottest GPU °C  (" + f.GPUName(t.Hottest) + ")", now: Measured(t.Hottest, metric.Temperature, "°C"),
		top: strconv.Itoa(hottestEver), bottom: strconv.Itoa(coolest), low: coolest, high: hottestEver, highest: true,
		samples: func(n int) []float32 { return f.Memory.Hottest(gpus, n) },
	}}
}
