package graph

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// HostGraphs draws the history of the selected node itself, below row y as far as there is room. right stands at the
// end of its title.
func HostGraphs(f *part.Frame, y int, right string) (drawn bool) {
	n := f.Node
	newest, known := n.History.Newest()
	if !known {
		return false
	}
	oldest, _ := n.History.Oldest()
	a := axisFrom(oldest, newest, f.Snap.Bin(), f.Snap.Span).endAtFailure(n)
	h := hostPast{n, newest}
	drawn = drawCharts(f, y, "Host history, "+a.spanText(), right, a, append([]chart{h.cpuChart(), h.loadChart()},
		h.memoryCharts()...))
	fadePast(f, y)
	return drawn
}

// fadePast fades the rows from y on if they show a node that has failed.
func fadePast(f *part.Frame, y int) {
	for row := y; row < f.H-1 && f.Node.Past != nil; row++ {
		f.Fade(row, 0, f.W)
	}
}

// hostPast is the past of a node up to a bin.
type hostPast struct {
	*cluster.Node
	newest int64
}

func (h hostPast) hostSeries(id metric.ID) series {
	return func(n int) []float32 { return h.History.Tail(nil, id, h.newest, n) }
}

func (h hostPast) cpuChart() chart {
	return shareChart("CPU %", h.Host.Float(metric.CPU), h.hostSeries(metric.CPU))
}

// loadChart is a chart of the load average, up to the number of CPUs or to the highest load if that is higher.
func (h hostPast) loadChart() chart {
	c := chart{title: "Load", short: "Load", bottom: "0", area: true, samples: h.hostSeries(metric.Load),
		now: Words(h.Host.Float(metric.Load), draw.One)}
	c.title += "  (5 min " + Words(h.Host.Float(metric.Load5), draw.One) + ", 15 min " +
		Words(h.Host.Float(metric.Load15), draw.One) + ")"
	c.scaleToSamples(1)
	if h.Hello != nil && float64(h.Hello.CPUs) >= c.high {
		c.high, c.top = float64(h.Hello.CPUs), draw.Whole(float64(h.Hello.CPUs))
	}
	return c
}

// memoryCharts are a chart of the memory and, if there is swap space, one of that. The first also names the swap, since
// low terminals have no room for the second.
func (h hostPast) memoryCharts() []chart {
	memory := h.bytesChart("Memory GiB", metric.HostMemoryUsed, metric.HostMemoryTotal)
	total, known := h.Host.Get(metric.SwapTotal)
	switch {
	case !known:
		return []chart{memory}
	case total == 0:
		memory.title += "  (no swap)"
		return []chart{memory}
	}
	swap := h.bytesChart("Swap GiB", metric.SwapUsed, metric.SwapTotal)
	memory.title += "  (swap " + swap.now + " of " + swap.top + ")"
	return []chart{memory, swap}
}

// bytesChart is a chart of an amount of memory up to its size.
func (h hostPast) bytesChart(title string, used, total metric.ID) chart {
	c := chart{title: title, short: title, bottom: "0", area: true, samples: h.hostSeries(used),
		now: Words(h.Host.Float(used), part.Bytes)}
	if size, known := h.Host.Get(total); known && size > 0 {
		c.high, c.top = size, draw.GiB(uint64(size))
		c.title += " of " + c.top
	} else {
		c.scaleToSamples(1 << 30)
	}
	return c
}

// Words writes a number with say, "n/a" if it is unknown.
func Words(v float64, say func(float64) string) string {
	if v != v {
		return "n/a"
	}
	return say(v)
}
