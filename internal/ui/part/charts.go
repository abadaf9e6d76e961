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
	gpus := f.Own(f.Node)
	if len(gpus) == 0 {
		return
	}
	t := tally.Total(gpus)
	graphs(f, y, "This node over time", "newest at the right", tally.Edge(gpus...), slices.Concat(
		[]chart{share("Utilization %, mean of "+strconv.Itoa(len(gpus)), t.Util.Value, true, series(gpus, metric.Util, metric.Mean))},
		slowestChart(gpus, GPUNumber), powerChart(gpus, &t, false), memoryChart(gpus, &t)))
}

// JobGraphs draws the job's numbers over time, below row y as far as there is room.
func JobGraphs(f *Frame, y int) {
	gpus := tally.Fresh(f.Snap, f.Job)
	if len(gpus) == 0 || f.H-y < graphLeast+graphFrame+3 {
		return
	}
	t := tally.Total(gpus)
	median := func(n int) []float32 { return tally.Median(gpus, n) }
	graphs(f, y, "Job over time", Plural(len(gpus), "GPU", "GPUs"), tally.Edge(gpus...), slices.Concat(
		[]chart{share("Utilization %, median", tally.MedianNow(gpus), true, median)},
		slowestChart(gpus, f.GPUName), powerChart(gpus, &t, true), heatChart(f, gpus, t.Temperature)))
}

// series gives the newest samples of a number over GPUs.
func series(gpus []*cluster.GPU, id metric.ID, sum metric.Sum) func(n int) []float32 {
	return func(n int) []float32 { return tally.Series(gpus, id, sum, n) }
}

// share is a chart of percents.
func share(title string, now float64, area bool, samples func(n int) []float32) chart {
	return chart{title: title, now: Percent(now), top: "100", bottom: "0", high: 100, area: area, samples: samples}
}

// slowestChart is a chart of the GPU that does the least; of a single GPU it would be the one of its utilisation.
func slowestChart(gpus []*cluster.GPU, name func(*cluster.GPU) string) []chart {
	if len(gpus) < 2 {
		return nil
	}
	who := ""
	low, standsOut := tally.Slowest(gpus)
	if standsOut {
		who = "  (" + name(low.GPU) + ")"
	}
	return []chart{share("Slowest GPU %"+who, low.Value, false, series(gpus, metric.Util, metric.Lowest))}
}

// sumChart is a chart of an amount up to its limit. Without a limit there is no scale, and no chart.
func sumChart(title string, a Amount, sum, limit tally.Sum, samples func(n int) []float32) []chart {
	if a.Most == "" {
		return nil
	}
	title += " " + a.Unit + ", sum of " + strconv.Itoa(sum.Count)
	return []chart{{title: title, now: a.Now + a.Unit, top: a.Most, bottom: "0", high: limit.Value, area: true, samples: samples}}
}

func powerChart(gpus []*cluster.GPU, t *tally.Totals, large bool) []chart {
	return sumChart("Power", Power(t, Unlimited, large), t.Power, t.PowerLimit, series(gpus, metric.Power, metric.Add))
}

func memoryChart(gpus []*cluster.GPU, t *tally.Totals) []chart {
	counted := slices.DeleteFunc(slices.Clone(gpus), func(g *cluster.GPU) bool { return math.IsNaN(g.Float(metric.MemoryUsed) + g.Float(metric.MemoryTotal)) })
	return sumChart("Memory", MemoryUsed(t), t.Used, t.Memory, series(counted, metric.MemoryUsed, metric.Add))
}

// The scale of temperatures: below it nothing is of interest, above it GPUs turn themselves off.
const coolest, hottestEver = 30, 100

func heatChart(f *Frame, gpus []*cluster.GPU, hottest tally.Sum) []chart {
	if !hottest.Known() {
		return nil
	}
	return []chart{{
		title: "Hottest GPU °C  (" + f.GPUName(hottest.GPU) + ")", now: Summed(hottest, "°C"),
		top: strconv.Itoa(hottestEver), bottom: strconv.Itoa(coolest), low: coolest, high: hottestEver, highest: true,
		samples: series(gpus, metric.Temperature, metric.Highest),
	}}
}
