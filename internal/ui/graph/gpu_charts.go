package graph

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/cluster/trend"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// gpuChart is a chart of one GPU, made from metrics that the GPU must have.
type gpuChart struct {
	name string // its name in the note that the GPU lacks it
	of   []metric.ID
	make func(*cluster.GPU) chart
}

// gpuCharts are the charts of the GPU page, the most important first.
var gpuCharts = []gpuChart{
	{"utilization", []metric.ID{metric.Util},
		func(g *cluster.GPU) chart { return gpuShare(g, "Utilization %", metric.Util) }},
	{"memory", []metric.ID{metric.MemoryUsed}, gpuMemory},
	{"power", []metric.ID{metric.Power}, gpuPower},
	{"temperature", []metric.ID{metric.Temperature}, gpuHeat},
	{"SM clock", []metric.ID{metric.SMClock}, gpuClock},
	{"NVLink", []metric.ID{metric.NVLinkTX, metric.NVLinkRX}, func(g *cluster.GPU) chart {
		return gpuTraffic(g, "NVLink", metric.NVLinkTX, metric.NVLinkRX, nvlinkMost(g))
	}},
	{"PCIe", []metric.ID{metric.PCIeTX, metric.PCIeRX}, func(g *cluster.GPU) chart {
		return gpuTraffic(g, "PCIe", metric.PCIeTX, metric.PCIeRX, pcieMost(g))
	}},
	{"memory read/write time", []metric.ID{metric.MemUtil},
		func(g *cluster.GPU) chart { return gpuShare(g, "Memory read/write time %", metric.MemUtil) }},
}

// isAbout reports whether a finding is about what the chart shows.
func (c *gpuChart) isAbout(f *cluster.Finding) bool {
	return slices.ContainsFunc(say.Charts(f), func(id metric.ID) bool { return slices.Contains(c.of, id) })
}

// GPUCharts are the histories of one GPU, without those that the GPU lacks.
type GPUCharts struct {
	gpu      *cluster.GPU
	axis     axis
	charts   []gpuChart
	bin      time.Duration
	findings []*cluster.Finding // present findings of the GPU
	peers    []*cluster.GPU
	scene    *part.Scene
}

// NewGPUCharts chooses the charts for a GPU.
func NewGPUCharts(f *part.Frame, g *cluster.GPU) GPUCharts {
	c := GPUCharts{gpu: g, axis: axisOf(f, []*cluster.GPU{g}).endAtFailure(f.Node), bin: f.Snap.Bin(),
		scene: f.Scene}
	if f.Node != nil {
		c.findings = slices.DeleteFunc(f.Health.OfGPU(f.Node.Name, g),
			func(of *cluster.Finding) bool { return !of.Holds() })
	}
	c.peers = part.Once(f.Scene, peersKey{g}, func() []*cluster.GPU { return tally.Peers(f.Snap, f.Job, g) })
	for _, chart := range gpuCharts {
		if !slices.ContainsFunc(chart.of, func(id metric.ID) bool { return part.Lacks(g, id) }) {
			c.charts = append(c.charts, chart)
		}
	}
	return c
}

// Title says which time the charts show.
func (c *GPUCharts) Title() string { return c.axis.titleText() }

// Draw draws as many charts as fit into these rows.
func (c *GPUCharts) Draw(f *part.Frame, y, rows int) {
	drawSheet(f, y, rows, c.axis, len(c.charts), c.makeChart)
}

// makeChart makes a chart: amber since a rule found a problem with what it shows, and with a thin line for the median
// of the job.
func (c *GPUCharts) makeChart(i int) chart {
	kind := &c.charts[i]
	made := kind.make(c.gpu)
	if since := c.oldestFinding(kind); since != nil {
		made.nowRole = draw.Warn
		was, from := made.held, since.Since
		made.held = func(n int) []float32 { return c.axis.heldFrom(from, c.bin, was, n) }
	}
	if len(c.peers) > 0 {
		made.usual = func(n int) []float32 {
			key := medianKey{tally.Model(c.gpu), kind.of[0], c.axis.newest, n}
			return part.Once(c.scene, key,
				func() []float32 { return trend.Medians(c.peers, kind.of, c.axis.newest, n) })
		}
	}
	return made
}

// oldestFinding returns the present finding about a chart that began first; nil: there is none.
func (c *GPUCharts) oldestFinding(kind *gpuChart) (first *cluster.Finding) {
	for _, f := range c.findings {
		if kind.isAbout(f) && (first == nil || f.Since.Before(first.Since)) {
			first = f
		}
	}
	return first
}

// Since returns the present finding that made a chart amber first; nil: none did.
func (c *GPUCharts) Since() (first *cluster.Finding) {
	for i := range c.charts {
		if f := c.oldestFinding(&c.charts[i]); f != nil && (first == nil || f.Since.Before(first.Since)) {
			first = f
		}
	}
	return first
}

// Compared reports whether the charts have the median of the job.
func (c *GPUCharts) Compared() bool { return len(c.peers) > 0 }

// The keys of package part: the GPUs that a GPU is compared with, and their medians, which are the same for all GPUs of
// a model.
type (
	peersKey  struct{ of *cluster.GPU }
	medianKey struct {
		model  string
		of     metric.ID
		newest int64
		n      int
	}
)

// Missing names the charts and engines that a GPU lacks, once, with the reasons: "n/a: NVLink, JPEG (Not Supported)".
func Missing(g *cluster.GPU) string {
	var reasons []string
	names := map[string][]string{}
	add := func(name string, ids ...metric.ID) {
		for _, id := range ids {
			if part.Lacks(g, id) {
				why := part.WhyAbsent(g, id)
				if names[why] == nil {
					reasons = append(reasons, why)
				}
				names[why] = append(names[why], name)
				return
			}
		}
	}
	for _, c := range gpuCharts {
		add(c.name, c.of...)
	}
	for _, u := range engines {
		add(u.long, u.id)
	}
	for i, why := range reasons {
		reasons[i] = strings.Join(names[why], ", ")
		if why != "" {
			reasons[i] += " (" + why + ")"
		}
	}
	if len(reasons) == 0 {
		return ""
	}
	return "n/a: " + strings.Join(reasons, "; ")
}

// presentValue is a text, or its replacement if it is empty: "–" for a GPU that reports no numbers any more, otherwise
// "n/a".
func presentValue(g *cluster.GPU, text string) string {
	switch {
	case text != "":
		return text
	case tally.Lost(g) != "" || g.HangsMS > 0:
		return "–"
	}
	return "n/a"
}

func gpuSeries(g *cluster.GPU, id metric.ID) series {
	return func(n int) []float32 { return trend.Last(g, id, n) }
}

func gpuShare(g *cluster.GPU, title string, id metric.ID) chart {
	c := shareChart(title, g.Float(id), gpuSeries(g, id))
	c.now = presentValue(g, part.Measured(g, id, "%"))
	return c
}

func gpuMemory(g *cluster.GPU) chart {
	c := chart{title: "Memory", bottom: "0", area: true, samples: gpuSeries(g, metric.MemoryUsed)}
	if total, known := g.Get(metric.MemoryTotal); known {
		c.title, c.high, c.top = "Memory GiB of "+draw.GiB(uint64(total)), total, draw.Whole(total/gib)
	} else {
		c.scaleToSamples(gib)
	}
	if used, known := g.Get(metric.MemoryUsed); known {
		c.now = part.Bytes(used)
	}
	if full := part.FullIn(g); full != "" {
		c.title, c.named, c.nowRole = c.title+", "+full, "Memory, "+full, draw.Warn
	}
	c.now = presentValue(g, c.now)
	return c
}

func gpuHeat(g *cluster.GPU) chart {
	c := celsiusChart("Temperature °C", pastOf([]*cluster.GPU{g}), g)
	c.now = presentValue(g, c.now)
	return c
}

func gpuPower(g *cluster.GPU) chart {
	c := chart{title: "Power W", bottom: "0", area: true, samples: gpuSeries(g, metric.Power),
		now: presentValue(g, part.Measured(g, metric.Power, " W"))}
	if limit, known := g.PowerLimit(); known {
		c.title, c.high, c.top, c.mark = "Power W of "+draw.Whole(limit), limit, draw.Whole(limit), limit
	} else {
		c.scaleToSamples(1)
	}
	c.throttledBy(g, wire.ThrottleHWPowerBrake)
	return c
}

func gpuClock(g *cluster.GPU) chart {
	c := chart{title: "SM clock MHz", bottom: "0", samples: gpuSeries(g, metric.SMClock), pool: draw.PoolLowest,
		now: presentValue(g, part.Measured(g, metric.SMClock, " MHz"))}
	if most, known := g.Get(metric.SMClockMax); known {
		c.title, c.high, c.top = "SM clock MHz of "+draw.Whole(most), most, draw.Whole(most)
	} else {
		c.scaleToSamples(1)
	}
	c.throttledBy(g, tally.Thermal|wire.ThrottleHWPowerBrake|wire.ThrottleHWSlowdown)
	return c
}

// throttledBy makes a chart amber where one of these reasons lowered the clocks.
func (c *chart) throttledBy(g *cluster.GPU, reasons uint64) {
	c.held = func(n int) []float32 { return trend.Throttled([]*cluster.GPU{g}, reasons, n) }
	if now, _ := g.Get(metric.Throttle); uint64(now)&reasons != 0 {
		c.nowRole = draw.Warn
	}
}

// gpuTraffic is a chart of the traffic of a link in both directions, up to most bytes per second.
func gpuTraffic(g *cluster.GPU, name string, tx, rx metric.ID, most float64) chart {
	c := chart{title: name + " GB/s, both ways", short: name + " GB/s", bottom: "0", high: most, area: true}
	c.samples = func(n int) []float32 {
		sum := gpuSeries(g, tx)(n)
		for i, v := range gpuSeries(g, rx)(n) {
			sum[i] += v
		}
		return sum
	}
	if c.top = draw.Whole(most / 1e9); math.IsNaN(most) {
		c.scaleToSamples(1e9)
	}
	c.now = presentValue(g, part.Rate(g.Float(tx)+g.Float(rx)))
	return c
}

const gib = 1 << 30

// scaleToSamples gives a chart without a limit a scale: up to the lowest round number above its samples, in a unit.
func (c *chart) scaleToSamples(unit float64) {
	highest := unit
	for _, v := range c.samples(history.Len(0, 0)) {
		if v == v {
			highest = max(highest, float64(v))
		}
	}
	c.high = math.Pow(10, math.Ceil(math.Log10(highest/unit)))
	for _, part := range []float64{5, 2} {
		if c.high/part >= highest/unit {
			c.high /= part
			break
		}
	}
	c.top = strconv.FormatFloat(c.high, 'f', -1, 64)
	c.high *= unit
}
