package ui

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// graphSpan is how far back the graphs go at least, where they are wide enough and the history does.
const graphSpan = 10 * time.Minute

// chart is one graph: its title, the value now, its scale, its samples, and how they are drawn.
type chart struct {
	title, now  string
	top, bottom string // the ends of the scale, in words
	low, high   float64
	samples     func(n int) []float32
	area        bool
	highest     bool // what falls together becomes its maximum
}

// graphAxis is how many columns the scale takes, graphFrame how many rows the title and the time axis take, graphLeast and graphMost
// how many rows of dots are worth it, twoLines from how many there are two lines of graphs; graphWide is a good width for one.
const (
	graphAxis  = 6
	graphFrame = 2
	graphLeast = 4
	graphMost  = 24
	twoLines   = 6
	graphWide  = 60
)

// graphs draws charts below their section's rule, from row y as far as there is room: beside each other, or in two lines.
func (f *frame) graphs(y int, title, right string, newest int64, charts []chart) {
	y++ // blank
	free := f.h - 1 - y - 1
	if f.h >= 45 {
		free-- // a blank line before the keys
	}
	lines, across := 1, min(len(charts), max(f.w/graphWide, min(2, len(charts))))
	rows := free - graphFrame
	if two := (free - 1 - 2*graphFrame) / 2; across < len(charts) && two >= twoLines {
		lines, across, rows = 2, (len(charts)+1)/2, two
	}
	rows = min(rows, graphMost)
	w := (f.w - 2 - 2*across) / max(across, 1)
	if rows < graphLeast || w < graphAxis+12 {
		return
	}
	f.section(y, title, right)
	for i, c := range charts[:min(len(charts), lines*across)] {
		f.chart(2+i%across*(w+2), y+1+i/across*(rows+graphFrame+1), w, rows, newest, c)
	}
}

// chart draws one graph. Each of its dots holds the same whole number of samples.
func (f *frame) chart(x, y, w, rows int, newest int64, c chart) {
	f.Left(x, y, w-draw.Width(c.now)-1, c.title, draw.Dim)
	f.Right(x, y, w, c.now, draw.Strong)
	f.Right(x, y+1, graphAxis-1, c.top, draw.Dim)
	f.Right(x, y+rows, graphAxis-1, c.bottom, draw.Dim)
	for r := range rows {
		f.Fill(x+graphAxis-1, y+1+r, 1, '┊', draw.Faint)
	}
	bin, most := cluster.BinWidth(f.snap.Poll), cluster.HistoryLen(f.snap.Poll)
	wide := min(w-graphAxis, most/2)
	dots := 2 * wide
	per := max(min((int(graphSpan/bin)+dots-1)/dots, most/dots), 1)
	f.dots = draw.Resample(f.dots, c.samples(dots*per), per, int(newest), dots, c.highest)
	g := draw.Graph{Low: c.low, High: c.high, Area: c.area, Line: draw.Data, Body: draw.Body}
	g.Draw(f.Canvas, x+w-wide, y+1, wide, rows, f.dots)
	f.Put(x+w-wide, y+1+rows, "-"+draw.Age(time.Duration(dots*per)*bin), draw.Dim)
	f.Put(x+w-3, y+1+rows, "now", draw.Dim)
}

// share is a chart of percents.
func share(title string, now float64, area bool, samples func(n int) []float32) chart {
	return chart{title: title, now: percent(now), top: "100", bottom: "0", high: 100, area: area, samples: samples}
}

// slowestChart is a chart of the GPU that does the least; of a single GPU it would be the one of its utilisation.
func (f *frame) slowestChart(gpus []*cluster.GPU, name func(*cluster.GPU) string) []chart {
	if len(gpus) < 2 {
		return nil
	}
	who, now := slowest(gpus, name)
	return []chart{share("Slowest GPU %"+who, now, false, func(n int) []float32 { return f.lowest(gpus, n) })}
}

// sumChart is a chart of "used/total" of an amount.
func sumChart(title, amount, unit string, gpus int, high float64, samples func(n int) []float32) []chart {
	now, most, ok := strings.Cut(amount, "/")
	if !ok { // without a limit there is no scale
		return nil
	}
	return []chart{{
		title: title + " " + unit + ", sum of " + strconv.Itoa(gpus), now: now + unit, top: most, bottom: "0", high: high, area: true, samples: samples,
	}}
}

func (f *frame) powerChart(gpus []*cluster.GPU, t totals, large bool) []chart {
	amount, unit := t.power(unbounded, large)
	return sumChart("Power", amount, unit, t.watts.count, t.most.value, func(n int) []float32 {
		return f.amount(gpus, metric.Power, n)
	})
}

func (f *frame) memoryChart(gpus []*cluster.GPU, t totals) []chart {
	if t.used.count == 0 {
		return nil
	}
	counted := slices.DeleteFunc(slices.Clone(gpus), func(g *cluster.GPU) bool { return !g.Values.Has(metric.MemoryUsed) })
	amount, unit := draw.Share(uint64(t.used.value), uint64(t.total.value))
	return sumChart("Memory", amount, unit, t.used.count, t.total.value, func(n int) []float32 {
		return f.amount(counted, metric.MemoryUsed, n)
	})
}

// The scale of temperatures: below it nothing is of interest, above it GPUs turn themselves off.
const coolest, hottestEver = 30, 100

func (f *frame) heatChart(gpus []*cluster.GPU, t totals) []chart {
	if t.hottest == nil {
		return nil
	}
	return []chart{{
		title: "Hottest GPU °C  (" + f.gpuName(t.hottest) + ")", now: measured(t.hottest, metric.Temperature, "°C"), top: strconv.Itoa(hottestEver), bottom: strconv.Itoa(coolest),
		low: coolest, high: hottestEver, highest: true, samples: func(n int) []float32 { return f.hottest(gpus, n) },
	}}
}

// nodeGraphs draws the node's numbers over time.
func (f *frame) nodeGraphs(y int) {
	gpus := f.own(nil, f.node)
	if len(gpus) == 0 {
		return
	}
	t := total(gpus)
	charts := []chart{share("Utilization %, mean of "+strconv.Itoa(len(gpus)), t.util.mean(), true, func(n int) []float32 { return f.mean(gpus, n) })}
	charts = append(charts, f.slowestChart(gpus, func(g *cluster.GPU) string { return "GPU" + strconv.Itoa(g.Number) })...)
	charts = append(charts, f.powerChart(gpus, t, false)...)
	charts = append(charts, f.memoryChart(gpus, t)...)
	f.graphs(y, "This node over time", "newest at the right", edge(gpus...), charts)
}

// jobGraphs draws the job's numbers over time.
func (f *frame) jobGraphs(y int) {
	gpus := f.streamingGPUs()
	if len(gpus) == 0 || f.h-y < graphLeast+graphFrame+3 {
		return
	}
	t := total(gpus)
	now := cluster.Gap
	if m := f.median(gpus, 1); len(m) > 0 {
		now = m[0]
	}
	charts := []chart{share("Utilization %, median", float64(now), true, func(n int) []float32 { return f.median(gpus, n) })}
	charts = append(charts, f.slowestChart(gpus, f.gpuName)...)
	charts = append(charts, f.powerChart(gpus, t, true)...)
	charts = append(charts, f.heatChart(gpus, t)...)
	f.graphs(y, "Job over time", plural(len(gpus), "GPU", "GPUs"), edge(gpus...), charts)
}

// apart is by how many points a GPU must be below the mean to be named: among equals the name would change with every poll.
const apart = 5

// slowest names the GPU that does the least, when it stands out.
func slowest(gpus []*cluster.GPU, name func(*cluster.GPU) string) (string, float64) {
	var low *cluster.GPU
	for _, g := range gpus {
		if util, known := g.Get(metric.Util); known && (low == nil || util < low.Float(metric.Util)) {
			low = g
		}
	}
	if low == nil {
		return "", math.NaN()
	}
	now := low.Float(metric.Util)
	if now > total(gpus).util.mean()-apart {
		return "", now
	}
	return "  (" + name(low) + ")", now
}

func percent(v float64) string {
	if math.IsNaN(v) {
		return "n/a"
	}
	return draw.Whole(v) + "%"
}
