package graph

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// The axis grows with what there is to show: a fifth of the span, half of it, all of it. It is never without a bin.
func TestAxis(t *testing.T) {
	for _, test := range []struct {
		poll  time.Duration
		have  int // bins
		bins  int
		words string
	}{
		{time.Second, 0, 120, "last 2 min"},
		{time.Second, 120, 120, "last 2 min"},
		{time.Second, 121, 300, "last 5 min"},
		{time.Second, 300, 300, "last 5 min"},
		{time.Second, 301, 600, "last 10 min"},
		{time.Second, 720, 600, "last 10 min"},
		{250 * time.Millisecond, 1, 120, "last 2 min"}, // a bin is never shorter than 1 s
		{3 * time.Second, 1, 40, "last 2 min"},
		{7 * time.Second, 1, 18, "last 2 min"}, // the last bin is partly before the axis
		{10 * time.Second, 60, 60, "last 10 min"},
		{time.Minute, 60, 60, "last 1h"},
		{11 * time.Second, 1, 12, "last 2m"}, // a fifth of 11 min
	} {
		f := frame(100, 30)
		f.Snap.Poll = test.poll
		g := gpu(nil, metric.Util, slices.Repeat([]float64{1}, test.have)...)
		a := axisOf(f, []*cluster.GPU{g})
		if a.bins != test.bins || a.spanText() != test.words {
			t.Errorf("polls of %v, %d bins: %d bins, %q; want %d, %q", test.poll, test.have, a.bins, a.spanText(),
				test.bins, test.words)
		}
	}
}

// Up to three charts stand in one line. More are put into two where there is room, the same number in each; what does
// not fit is left out.
func TestArrange(t *testing.T) {
	for _, test := range []struct {
		charts, width, free int
		want                []int // charts per line
		rows                int
	}{
		{0, 100, 40, nil, 0},
		{1, 20, 20, []int{1}, 18},
		{3, 60, 50, []int{3}, 48},
		{4, 100, 16, []int{2}, 14},   // two lines would be lower than 6 rows
		{4, 100, 17, []int{2, 2}, 6}, // not any more
		{4, 240, 20, []int{4}, 18},   // all beside each other, as wide as graphs should be
		{4, 240, 32, []int{4}, 30},
		{4, 240, 33, []int{2, 2}, 14}, // they would be too high
		{4, 240, 200, []int{2, 2}, 30},
		{5, 200, 40, []int{3, 2}, 17},
		{8, 100, 40, []int{2, 2}, 17}, // four of them do not fit
	} {
		charts := make([]chart, test.charts)
		for i := range charts {
			charts[i].title = string(rune('a' + i))
		}
		lines, rows := arrangeCharts(charts, test.width, test.free)
		var got []int
		order := ""
		for _, line := range lines {
			got = append(got, len(line))
			for _, c := range line {
				order += c.title
			}
		}
		if !slices.Equal(got, test.want) || rows != test.rows || !strings.HasPrefix("abcdefgh", order) {
			t.Errorf("%d charts in %d×%d: %v in order %q with %d rows, want %v with %d", test.charts, test.width,
				test.free, got, order, rows, test.want, test.rows)
		}
	}
}

// Charts beside each other never reach the last column.
func TestChartWidth(t *testing.T) {
	for width := 60; width <= 300; width++ {
		for n := 1; n <= 4; n++ {
			if w := chartWidth(width, n); 2+n*(w+2)-2 > width-1 || 2+n*(w+3)-2 <= width-4 {
				t.Errorf("%d charts in %d columns are %d wide", n, width, w)
			}
		}
	}
}

// Without a limit the scale ends at the lowest round number that no sample exceeds.
func TestScaleWithoutALimit(t *testing.T) {
	for _, test := range []struct {
		highest, unit float64
		top           string
		high          float64
	}{
		{gap, 1, "1", 1}, {0, 1, "1", 1}, {1, 1, "1", 1}, {1.5, 1, "2", 2}, {2, 1, "2", 2}, {2.1, 1, "5", 5},
		{5, 1, "5", 5}, {5.1, 1, "10", 10},
		{180, 1, "200", 200}, {2e9, 1e9, "2", 2e9}, {30e9, 1e9, "50", 50e9}, {1, 1e9, "1", 1e9},
	} {
		c := chart{samples: func(int) []float32 { return []float32{history.Gap, float32(test.highest), 0} }}
		if c.scaleToSamples(test.unit); c.top != test.top || c.high != test.high {
			t.Errorf("up to %v: the scale ends at %s, %v, want %s, %v", test.highest, c.top, c.high, test.top,
				test.high)
		}
	}
}

// An amount has no chart without a limit. The title says how many of the GPUs count, unless all do.
func TestSumChart(t *testing.T) {
	amount := part.Amount{Now: "3", Most: "8", Unit: "kW"}
	sum := func(n int) tally.Sum { return tally.Sum{Value: 3, Count: n} }
	for _, test := range []struct {
		most       string
		count, all int
		title      string
	}{
		{"", 8, 8, ""}, {"8", 1, 1, "Power kW"}, {"8", 8, 8, "Total power kW"},
		{"8", 7, 8, "Total power kW, 7 of 8 GPUs"}, {"8", 0, 1, "Power kW, 0 of 1 GPUs"},
	} {
		amount.Most = test.most
		charts := sumChart("Power", amount, sum(test.count), tally.Sum{Value: 8}, test.all, nil)
		title := ""
		for _, c := range charts {
			title += c.title
		}
		if title != test.title || len(charts) == 1 && (charts[0].high != 8 || charts[0].now != "3kW") {
			t.Errorf("%d of %d: %+v, want %q", test.count, test.all, charts, test.title)
		}
	}
}

// The lower edge is amber since when one of the GPUs has lagged or idled. A problem that is over, of another kind or of
// another GPU does not count.
func TestLagged(t *testing.T) {
	f := frame(100, 30)
	g := gpu(nil, metric.Util, 1, 1, 1, 1, 1)
	finding := func(kind cluster.Kind, ago time.Duration, key string) cluster.Finding {
		return cluster.Finding{Kind: kind, Since: now.Add(-ago), Key: key}
	}
	over := finding(cluster.KindLag, 3*time.Second, g.Key)
	over.Over = now
	for name, test := range map[string]struct {
		findings []cluster.Finding
		want     []float64
	}{
		"nothing":  {nil, []float64{0, 0, 0, 0, 0}},
		"it lags":  {[]cluster.Finding{finding(cluster.KindLag, 2*time.Second, g.Key)}, []float64{0, 0, 1, 1, 1}},
		"it idles": {[]cluster.Finding{finding(cluster.KindIdle, time.Second, g.Key)}, []float64{0, 0, 0, 1, 1}},
		"the oldest": {[]cluster.Finding{finding(cluster.KindLag, time.Second, g.Key),
			finding(cluster.KindIdle, 3*time.Second, g.Key)}, []float64{0, 1, 1, 1, 1}},
		"before all": {[]cluster.Finding{finding(cluster.KindLag, time.Hour, g.Key)}, []float64{1, 1, 1, 1, 1}},
		"over":       {[]cluster.Finding{over}, []float64{0, 0, 0, 0, 0}},
		"another kind": {[]cluster.Finding{finding(cluster.KindThermal, 3*time.Second, g.Key)},
			[]float64{0, 0, 0, 0, 0}},
		"another GPU": {[]cluster.Finding{finding(cluster.KindLag, 3*time.Second, "GPU-2")}, []float64{0, 0, 0, 0, 0}},
		"a node's":    {[]cluster.Finding{finding(cluster.KindLag, 3*time.Second, "")}, []float64{0, 0, 0, 0, 0}},
		"just now":    {[]cluster.Finding{finding(cluster.KindLag, 0, g.Key)}, []float64{0, 0, 0, 0, 0}},
	} {
		f.Job.Findings = test.findings
		same(t, name, lagSeries(f, axisOf(f, []*cluster.GPU{g}), []*cluster.GPU{g}, 5), test.want...)
	}
}

// Traffic is the sum of both directions. Where one of them is not known the sum is not either, now and in the past.
func TestTraffic(t *testing.T) {
	g := gpu(map[metric.ID]float64{metric.NVLinkTX: 3e9}, metric.NVLinkTX)
	remember(g, map[metric.ID][]float64{metric.NVLinkTX: {1 << 30, 2e9, gap, 3e9},
		metric.NVLinkRX: {1 << 32, gap, 5e9, 6e9}})
	c := gpuTraffic(g, "NVLink", metric.NVLinkTX, metric.NVLinkRX, 300e9)
	same(t, "samples", c.samples(5), gap, 5<<30, gap, gap, 9e9)
	if c.now != "n/a" || c.top != "300" || c.high != 300e9 {
		t.Errorf("now %q, up to %q, %v", c.now, c.top, c.high)
	}
	if c := gpuTraffic(g, "NVLink", metric.NVLinkTX, metric.NVLinkRX, math.NaN()); c.top != "10" || c.high != 10e9 {
		t.Errorf("without a known limit: up to %q, %v", c.top, c.high)
	}
	g.Lost = "GPU is lost"
	if c := gpuTraffic(g, "NVLink", metric.NVLinkTX, metric.NVLinkRX, 300e9); c.now != "–" {
		t.Errorf("of a GPU that is lost: now %q", c.now)
	}
}

// A chart of a limit that the GPU has not ends at a round number instead.
func TestChartsOfOneGPU(t *testing.T) {
	bare := gpu(nil, metric.Power, 100, gap, 180)
	if c := gpuPower(bare); c.title != "Power W" || c.top != "200" || c.mark != 0 || c.now != "n/a" ||
		c.nowRole == draw.Warn {
		t.Errorf("power without a limit: %+v", c)
	}
	if c := gpuMemory(bare); c.title != "Memory" || c.top != "1" || c.high != gib || c.now != "n/a" {
		t.Errorf("memory of nothing: %+v", c)
	}
	if c := gpuClock(bare); c.title != "SM clock MHz" || c.top != "1" {
		t.Errorf("clock of nothing: %+v", c)
	}
	full := gpu(map[metric.ID]float64{
		metric.MemoryTotal: 80 << 30, metric.MemoryUsed: 20 << 30, metric.SMClock: 1200, metric.SMClockMax: 1980,
		metric.Throttle: wire.ThrottleHWPowerBrake,
	}, metric.SMClock, 1200)
	if c := gpuMemory(full); c.title != "Memory GiB of 80.0" || c.top != "80" || c.high != 80<<30 ||
		!strings.HasPrefix(c.now, "20") {
		t.Errorf("memory: %+v", c)
	}
	if c := gpuClock(full); c.title != "SM clock MHz of 1980" || c.top != "1980" || c.now != "1200 MHz" ||
		c.nowRole != draw.Warn {
		t.Errorf("clock: %+v", c)
	}
}

// The capacity of a PCIe link depends on its generation and width, the capacity of NVLink on the links and the
// generation of the GPU.
func TestCapacity(t *testing.T) {
	for _, test := range []struct{ gen, width, want float64 }{
		{4, 16, 63.008e9}, {5, 16, 126.016e9}, {1, 1, 0.5e9}, {0, 16, gap}, {7, 16, gap}, {4, 0, gap}, {gap, 16, gap},
		{4, gap, gap},
	} {
		g := gpu(nil, metric.Util)
		for id, v := range map[metric.ID]float64{metric.PCIeGenMax: test.gen, metric.PCIeWidthMax: test.width} {
			if v == v {
				g.Card.Values.Set(id, v)
			}
		}
		if got := pcieMost(g); math.Abs(got-test.want) > 1e6 || math.IsNaN(got) != math.IsNaN(test.want) {
			t.Errorf("PCIe %v x%v carries %v, want %v", test.gen, test.width, got, test.want)
		}
	}
	for _, test := range []struct {
		links      float64
		capability string
		want       float64
	}{{12, "8.0", 600e9}, {18, "9.0", 900e9}, {18, "10.0", 1800e9}, {18, "12.0", 1800e9}, {0, "9.0", gap},
		{gap, "9.0", gap}, {18, "", gap}} {
		g := gpu(nil, metric.Util)
		g.Card.Capability = test.capability
		if test.links == test.links {
			g.Card.Values.Set(metric.NVLinks, test.links)
		}
		if got := nvlinkMost(g); got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%v links of %s carry %v, want %v", test.links, test.capability, got, test.want)
		}
	}
}

// The title of a graph gives up what does not fit: first the details, then the GPU. The value now is always there.
func TestHead(t *testing.T) {
	c := chart{title: "Utilization %, lowest to median  (n1 GPU3)", short: "Utilization %",
		named: "Utilization %  (n1 GPU3)", now: "97%"}
	for w, want := range map[int]string{
		60: c.title, 46: c.title, 45: c.named, 28: c.named, 27: c.short, 17: c.short,
	} {
		f := frame(100, 3)
		c.drawTitle(f, 0, 0, w)
		if line := shown(f)[0]; strings.Join(strings.Fields(line), " ") != strings.Join(strings.Fields(want+" 97%"),
			" ") || draw.Width(line) != w {
			t.Errorf("in %d columns: %q, want %q", w, line, want)
		}
	}
}

// Gaps stay empty in a graph, and a line is drawn where there are samples only.
func TestGapsInAGraph(t *testing.T) {
	c := chart{title: "T", top: "100", bottom: "0", high: 100, area: true, samples: func(n int) []float32 {
		samples := slices.Repeat([]float32{100}, n)
		for i := n / 4; i < n/2; i++ {
			samples[i] = history.Gap
		}
		return samples
	}}
	f := frame(60, 10)
	drawChart(f, 0, 0, graphAxis+40, 2, axis{newest: newest, bins: 80, span: 80 * time.Second}, c)
	lines := shown(f)
	for _, line := range lines[1:3] {
		cells := []rune(line)[graphAxis:]
		if len(cells) != 40 {
			t.Fatalf("a row of %d columns: %q", len(cells), line)
		}
		for i, cell := range cells {
			if empty := i > 10 && i < 19; empty && cell != ' ' || !empty && (i < 9 || i > 20) && cell != '⣿' {
				t.Errorf("column %d is %q in %q", i, cell, line)
			}
		}
	}
	if !strings.HasPrefix(strings.TrimLeft(lines[3], " "), "-1m") || !strings.HasSuffix(lines[3], "now") ||
		draw.Width(lines[3]) != graphAxis+40 {
		t.Errorf("the axis is %q", lines[3])
	}
}
