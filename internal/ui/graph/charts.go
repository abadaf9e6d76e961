package graph

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/cluster/trend"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// NodeGraphs draws the history of the job's GPUs on the selected node, below row y as far as there is room. right
// stands at the end of the title. Without GPUs it draws the history of the node itself. drawn reports whether there was
// room.
func NodeGraphs(f *part.Frame, y int, right string) (drawn bool) {
	gpus := f.Own(f.Node)
	if len(gpus) == 0 {
		return HostGraphs(f, y, "")
	}
	t := tally.Total(gpus)
	a := axisOf(f, gpus).endAtFailure(f.Node)
	of := pastOf(gpus)
	drawn = drawCharts(f, y, "Node history, "+a.spanText(), right, a, slices.Concat(
		utilChart(f, a, of, of.now, len(gpus), part.GPUNumber), heatChart(of, t.Temperature, part.GPUNumber),
		powerChart(of, &t, false), memoryChart(gpus, &t)))
	fadePast(f, y)
	return drawn
}

// JobGraphs draws the history of the job's GPUs, below row y as far as there is room. The history includes nodes that
// no longer respond; the present values do not.
func JobGraphs(f *part.Frame, y int) {
	if f.H-y < graphLeast+graphFrame+3 {
		return
	}
	h := jobGraphsOf(f.Scene)
	if len(h.charts) == 0 {
		return
	}
	seen := f.Job.GPUsSeen
	drawCharts(f, y, "Job history, "+h.axis.spanText(), strconv.Itoa(seen)+" of "+part.Plural(max(f.Job.GPUs, seen), "GPU",
		"GPUs"), h.axis, h.charts)
}

// gpuPast has the samples of GPUs.
type gpuPast struct {
	gpus    []*cluster.GPU
	now     *tally.Readings // of these GPUs
	samples func(of trend.Samples, n int) []float32
}

// pastOf returns the past of a few GPUs.
func pastOf(gpus []*cluster.GPU) gpuPast {
	return gpuPast{gpus, tally.NewReadings(gpus, nil), func(of trend.Samples, n int) []float32 { return of.Of(gpus, n) }}
}

// sampleSeries returns the series of one kind of samples.
func (p gpuPast) sampleSeries(of trend.Samples) series {
	return func(n int) []float32 { return p.samples(of, n) }
}

// The samples of a job's graphs.
var (
	lowestUtil  = trend.Samples{ID: metric.Util, Sum: metric.Lowest}
	medianUtil  = trend.Samples{Median: true}
	highestHeat = trend.Samples{ID: metric.Temperature, Sum: metric.Highest}
	heatSlowed  = trend.Samples{Reasons: tally.Thermal}
	powerSum    = trend.Samples{ID: metric.Power, Sum: metric.Add}

	jobSamples = []trend.Samples{lowestUtil, medianUtil, highestHeat, heatSlowed, powerSum}
)

// The keys of package part.
type (
	historyKey struct{ past bool }
	pastKey    struct{ job string }
)

func jobPast(s *part.Scene) *trend.Past {
	return part.Onward(s, pastKey{s.Job.ID}, func(before *trend.Past) *trend.Past {
		return trend.NewPast(s.Known(), before)
	})
}

// Prepare computes the graphs of a job before a key shows them, because a job may have thousands of GPUs.
func Prepare(s *part.Scene) {
	jobGraphsOf(s)
	bin := s.Snap.Bin()
	for _, of := range jobSamples {
		jobPast(s).Samples(of, int(spanOf(bin, s.Snap.Span)/bin))
	}
}

func jobGraphsOf(s *part.Scene) jobGraphs {
	return part.Once(s, historyKey{s.Ago != ""}, func() jobGraphs { return jobHistory(&part.Frame{Scene: s}) })
}

// jobGraphs holds the graphs of a job.
type jobGraphs struct {
	axis   axis
	charts []chart
}

func jobHistory(f *part.Frame) jobGraphs {
	all := jobPast(f.Scene)
	if len(all.GPUs) == 0 {
		return jobGraphs{}
	}
	t, seen := f.Total(), f.Job.GPUsSeen // lost and hung GPUs do not count
	t.GPUs = min(t.GPUs, seen)
	of := gpuPast{all.GPUs, f.KnownReadings(), all.Samples}
	h := jobGraphs{axis: axisBetween(f, all.Oldest, all.Edge)}
	h.charts = slices.Concat(
		utilChart(f, h.axis, of, f.Readings(), seen, f.GPUName), stepCharts(f, h.axis),
		heatChart(of, t.Temperature, f.GPUName), powerChart(of, &t, true))
	return h
}

// countText returns the text after a title that says how many of the GPUs are included, if not all are.
func countText(n, all int) string {
	if n >= all {
		return ""
	}
	return ", " + strconv.Itoa(n) + " of " + strconv.Itoa(all) + " GPUs"
}

// utilChart is a chart of the utilization of GPUs: a band from the lowest GPU to the median. The present number is that
// of the GPUs with fresh values. A wide band means that many GPUs wait for one. Its lower edge turns amber at the time
// from which a rule finds that a GPU does too little.
func utilChart(f *part.Frame, a axis, of gpuPast, fresh *tally.Readings, all int,
	name func(*cluster.GPU) string) []chart {
	low, standsOut := fresh.Slowest()
	switch {
	case !low.Known():
		return nil
	case len(of.gpus) == 1:
		return []chart{shareChart("Utilization %", low.Value,
			of.sampleSeries(trend.Samples{ID: metric.Util, Sum: metric.Mean}))}
	}
	c := shareChart("", 0, of.sampleSeries(lowestUtil))
	c.area, c.pool = false, draw.PoolLowest
	c.upper = of.sampleSeries(medianUtil)
	c.held = func(n int) []float32 { return lagSeries(f, a, of.gpus, n) }
	c.now = part.Percent(low.Value)
	if median := part.Percent(trend.Middle(fresh.Of(metric.Util))); median != c.now {
		c.now = draw.Whole(low.Value) + "–" + median
	}
	more := countText(low.Count, all)
	c.title, c.short = "Utilization %, lowest to median"+more, "Utilization %"+more
	if standsOut {
		where := "  (" + name(low.GPU) + ")"
		c.title, c.named = c.title+where, c.short+where
	}
	return []chart{c}
}

// shareChart is a chart of percents.
func shareChart(title string, now float64, samples series) chart {
	return chart{title: title, now: part.Percent(now), top: "100", bottom: "0", high: 100, area: true, samples: samples}
}

// lagSeries is 1 in each of the newest n bins since one of the GPUs began to lag, or began to be idle while others
// work; elsewhere it is 0.
func lagSeries(f *part.Frame, a axis, gpus []*cluster.GPU, n int) []float32 {
	since := f.Snap.At
	for i := range f.Job.Findings {
		finding := &f.Job.Findings[i]
		behind := slices.Contains(say.Charts(finding), metric.Util)
		if behind && finding.Holds() && finding.Since.Before(since) && slices.ContainsFunc(gpus, finding.Of) {
			since = finding.Since
		}
	}
	if since.Equal(f.Snap.At) {
		return make([]float32, n)
	}
	return a.heldFrom(since, f.Snap.Bin(), nil, n)
}

// heldFrom is 1 in each of the newest n bins from a time on, and also where another rule held; other may be nil.
func (a axis) heldFrom(since time.Time, bin time.Duration, other series, n int) []float32 {
	held := make([]float32, n)
	if other != nil {
		copy(held, other(n))
	}
	first := since.UnixNano() / int64(bin)
	for i := range held {
		if a.newest-int64(n-1-i) >= first {
			held[i] = 1
		}
	}
	return held
}

// sumChart is a chart of an amount up to its limit. Without a limit there is no scale, and so no chart.
func sumChart(title string, a part.Amount, sum, limit tally.Sum, all int, samples series) []chart {
	switch {
	case a.Most == "":
		return nil
	case all > 1:
		title = "Total " + strings.ToLower(title)
	}
	title += " " + a.Unit + countText(sum.Count, all)
	return []chart{{title: title, now: a.Now + a.Unit, top: a.Most, bottom: "0", high: limit.Value, area: true,
		samples: samples}}
}

func powerChart(of gpuPast, t *tally.Totals, large bool) []chart {
	return sumChart("Power", part.Power(t, part.Unlimited, large), t.Power, t.PowerLimit, t.GPUs,
		of.sampleSeries(powerSum))
}

func memoryChart(gpus []*cluster.GPU, t *tally.Totals) []chart {
	counted := slices.DeleteFunc(slices.Clone(gpus),
		func(g *cluster.GPU) bool { return math.IsNaN(g.Float(metric.MemoryUsed) + g.Float(metric.MemoryTotal)) })
	return sumChart("Memory", part.MemoryUsed(t), t.Used, t.Memory, t.GPUs,
		func(n int) []float32 { return trend.Of(counted, metric.MemoryUsed, metric.Add, n) })
}

// The scale of temperatures: lower ones do not matter, and at higher ones GPUs turn themselves off.
const coolest, hottestEver = 30, 100

// heatChart is a chart of the hottest GPU, amber where heat lowered the clocks or was about to. The dotted line is the
// lowest temperature at which a GPU slows down.
func heatChart(of gpuPast, hottest tally.Sum, name func(*cluster.GPU) string) []chart {
	if !hottest.Known() {
		return nil
	}
	c := celsiusChart("Hottest °C", of, hottest.GPU)
	c.title += "  (" + name(hottest.GPU) + ")"
	return []chart{c}
}

// celsiusChart is a chart of the temperature of GPUs; hottest is the GPU that is hottest now.
func celsiusChart(title string, of gpuPast, hottest *cluster.GPU) chart {
	c := chart{
		title: title, short: title, now: part.Measured(hottest, metric.Temperature, "°C"), low: coolest,
		high: hottestEver,
		top:  strconv.Itoa(hottestEver), bottom: strconv.Itoa(coolest), pool: draw.PoolHighest,
	}
	if tally.Hot(hottest) {
		c.nowRole = draw.Warn
	}
	c.samples = of.sampleSeries(highestHeat)
	if slows := of.now.Lowest(metric.Slowdown); slows.Known() {
		c.title, c.mark = title+", slows at "+draw.Whole(slows.Value), slows.Value
	}
	from := float32(tally.HotFrom(hottest))
	c.held = func(n int) []float32 {
		held := slices.Clone(of.samples(heatSlowed, n))
		for i, v := range of.samples(highestHeat, n) {
			if v >= from {
				held[i] = 1
			}
		}
		return held
	}
	return c
}
