package part

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// NodeGraphs draws the history of the job's GPUs of the selected node, below row y as far as there is room.
func NodeGraphs(f *Frame, y int) {
	gpus := f.Own(f.Node)
	if len(gpus) == 0 {
		return
	}
	t := tally.Total(gpus)
	a := axisOf(f, gpus)
	graphs(f, y, "Node history, "+a.words(), "", a, slices.Concat(
		shareChart("Avg utilization %", t.Util.Value, t.Util, len(gpus), series(gpus, metric.Util, metric.Mean)),
		lowestChart(gpus, gpus, GPUNumber), powerChart(gpus, &t, false), heatChart(gpus, t.Temperature, GPUNumber), memoryChart(gpus, &t)))
}

// JobGraphs draws the history of the job's GPUs, below row y as far as there is room. The past of a node that does not respond stays; the
// numbers now are of the others.
func JobGraphs(f *Frame, y int) {
	gpus := tally.Known(f.Snap, f.Job)
	if len(gpus) == 0 || f.H-y < graphLeast+graphFrame+3 {
		return
	}
	fresh := tally.Fresh(f.Snap, f.Job)
	t, seen := tally.Total(fresh), f.Job.GPUsSeen // those that are lost or hung do not count
	t.GPUs = min(t.GPUs, seen)
	a := axisOf(f, gpus)
	median := func(n int) []float32 { return tally.Median(gpus, n) }
	graphs(f, y, "Job history, "+a.words(), strconv.Itoa(seen)+" of "+Plural(max(f.Job.GPUs, seen), "GPU", "GPUs"), a, slices.Concat(
		shareChart("Median utilization %", tally.MedianNow(fresh), t.Util, seen, median),
		lowestChart(gpus, fresh, f.GPUName), powerChart(gpus, &t, true), heatChart(gpus, t.Temperature, f.GPUName)))
}

// series gives the newest samples of a number over GPUs.
func series(gpus []*cluster.GPU, id metric.ID, sum metric.Sum) func(n int) []float32 {
	return func(n int) []float32 { return tally.Series(gpus, id, sum, n) }
}

// counted says behind a title how many of the GPUs count, when not all do.
func counted(n, all int) string {
	if n >= all {
		return ""
	}
	return ", " + strconv.Itoa(n) + " of " + strconv.Itoa(all) + " GPUs"
}

// shareChart is a chart of percents over GPUs. There is none when no GPU gives them.
func shareChart(title string, now float64, util tally.Sum, all int, samples func(n int) []float32) []chart {
	switch {
	case !util.Known():
		return nil
	case all == 1:
		title = "Utilization %"
	}
	return []chart{{title: title + counted(util.Count, all), now: Percent(now), top: "100", bottom: "0", high: 100, area: true, samples: samples}}
}

// lowestChart is a chart of the GPU that does the least, now among the fresh ones. Of a single GPU it would be the one of its utilization.
func lowestChart(gpus, fresh []*cluster.GPU, name func(*cluster.GPU) string) []chart {
	low, standsOut := tally.Slowest(fresh)
	if len(gpus) < 2 || !low.Known() {
		return nil
	}
	who := ""
	if standsOut {
		who = "  (" + name(low.GPU) + ")"
	}
	return []chart{{
		title: "Lowest utilization %" + who, now: Percent(low.Value), top: "100", bottom: "0", high: 100, pool: draw.PoolLowest,
		samples: series(gpus, metric.Util, metric.Lowest),
	}}
}

// sumChart is a chart of an amount up to its limit. Without a limit there is no scale, and no chart.
func sumChart(title string, a Amount, sum, limit tally.Sum, all int, samples func(n int) []float32) []chart {
	switch {
	case a.Most == "":
		return nil
	case all > 1:
		title = "Total " + strings.ToLower(title)
	}
	title += " " + a.Unit + counted(sum.Count, all)
	return []chart{{title: title, now: a.Now + a.Unit, top: a.Most, bottom: "0", high: limit.Value, area: true, samples: samples}}
}

func powerChart(gpus []*cluster.GPU, t *tally.Totals, large bool) []chart {
	return sumChart("Power", Power(t, Unlimited, large), t.Power, t.PowerLimit, t.GPUs, series(gpus, metric.Power, metric.Add))
}

func memoryChart(gpus []*cluster.GPU, t *tally.Totals) []chart {
	counted := slices.DeleteFunc(slices.Clone(gpus), func(g *cluster.GPU) bool { return math.IsNaN(g.Float(metric.MemoryUsed) + g.Float(metric.MemoryTotal)) })
	return sumChart("Memory", MemoryUsed(t), t.Used, t.Memory, t.GPUs, series(counted, metric.MemoryUsed, metric.Add))
}

// The scale of temperatures: below it nothing is of interest, above it GPUs turn themselves off.
const coolest, hottestEver = 30, 100

// heatChart is a chart of the hottest of GPUs.
func heatChart(gpus []*cluster.GPU, hottest tally.Sum, name func(*cluster.GPU) string) []chart {
	if !hottest.Known() {
		return nil
	}
	return []chart{{
		title: "Hottest °C  (" + name(hottest.GPU) + ")", now: Summed(hottest, "°C"),
		top: strconv.Itoa(hottestEver), bottom: strconv.Itoa(coolest), low: coolest, high: hottestEver, pool: draw.PoolHighest,
		samples: series(gpus, metric.Temperature, metric.Highest),
	}}
}
