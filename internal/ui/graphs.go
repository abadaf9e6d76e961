package ui

import (
	"math"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// tail is the newest n samples of a GPU and where they begin among n places: a young GPU has fewer.
func tail(g *cluster.GPU, n int) (values []float32, from int) {
	values = g.Util[max(len(g.Util)-n, 0):]
	return values, n - len(values)
}

// series is scratch for n samples, all gaps.
func (f *frame) series(n int) []float32 {
	if cap(f.samples) < n {
		f.samples = make([]float32, n)
	}
	s := f.samples[:n]
	for i := range s {
		s[i] = cluster.Gap
	}
	return s
}

// mean is the newest n samples of the mean utilisation of GPUs; a sample that none of them has is a gap. The result is scratch.
func (f *frame) mean(gpus []*cluster.GPU, n int) []float32 {
	s := f.series(n)
	if cap(f.counts) < n {
		f.counts = make([]uint16, n)
	}
	counts := f.counts[:n]
	clear(counts)
	for _, g := range gpus {
		values, from := tail(g, n)
		for i, v := range values {
			switch {
			case v != v: // a gap
				continue
			case counts[from+i] == 0:
				s[from+i] = v
			default:
				s[from+i] += v
			}
			counts[from+i]++
		}
	}
	for i, c := range counts {
		if c > 1 {
			s[i] /= float32(c)
		}
	}
	return s
}

// lowest is mean's like for the GPU that does the least.
func (f *frame) lowest(gpus []*cluster.GPU, n int) []float32 {
	s := f.series(n)
	const none = 101
	for i := range s {
		s[i] = none
	}
	for _, g := range gpus {
		values, from := tail(g, n)
		low := s[from:]
		for i, v := range values {
			if v < low[i] { // false for a gap
				low[i] = v
			}
		}
	}
	for i, v := range s {
		if v == none {
			s[i] = cluster.Gap
		}
	}
	return s
}

// median is mean's like for the GPU in the middle. It counts whole percents, as there may be thousands of GPUs.
func (f *frame) median(gpus []*cluster.GPU, n int) []float32 {
	s := f.series(n)
	if cap(f.percents) < n {
		f.percents = make([][101]uint16, n)
	}
	percents := f.percents[:n]
	clear(percents)
	for _, g := range gpus {
		values, from := tail(g, n)
		for i, v := range values {
			if v == v {
				percents[from+i][min(max(int(v), 0), 100)]++
			}
		}
	}
	for i := range percents {
		if v := middle(&percents[i]); v >= 0 {
			s[i] = float32(v)
		}
	}
	return s
}

// middle is the median of counted percents, -1 when nothing was counted.
func middle(counts *[101]uint16) int {
	all := 0
	for _, c := range counts {
		all += int(c)
	}
	below := 0
	for v, c := range counts {
		if below += int(c); all > 0 && below*2 >= all {
			return v
		}
	}
	return -1
}

// graphSpan is how far back the graphs go, as far as the history does.
const graphSpan = 10 * time.Minute

// chart is one graph: its title, the value now, its samples, and how they are drawn.
type chart struct {
	title, now string
	samples    func(n int) []float32
	area       bool
}

// graphAxis is how many columns the scale takes, graphFrame how many rows the title and the time axis take, graphLeast and graphMost
// how many rows of dots are worth it.
const (
	graphAxis  = 6
	graphFrame = 2
	graphLeast = 4
	graphMost  = 24
)

// graphs draws charts beside each other below their section's rule, from row y as far as there is room.
func (f *frame) graphs(y int, title, right string, interval time.Duration, charts []chart) {
	y++ // blank
	rows := min(f.h-1-y-1-graphFrame, graphMost)
	if f.h >= 45 {
		rows-- // a blank line before the keys
	}
	w := (f.w - 2 - 2*len(charts)) / len(charts)
	if rows < graphLeast || w < graphAxis+12 {
		return
	}
	f.section(y, title, right)
	polls := cluster.HistoryLen
	if interval > 0 {
		polls = min(max(int(graphSpan/interval), 1), cluster.HistoryLen)
	}
	back := "-" + draw.Age(time.Duration(polls)*interval)
	for i, c := range charts {
		f.chart(2+i*(w+2), y+1, w, rows, polls, back, c)
	}
}

func (f *frame) chart(x, y, w, rows, polls int, back string, c chart) {
	f.Left(x, y, w-draw.Width(c.now)-1, c.title, draw.Dim)
	f.Right(x, y, w, c.now, draw.Strong)
	f.Right(x, y+1, graphAxis-1, "100", draw.Dim)
	f.Right(x, y+rows, graphAxis-1, "0", draw.Dim)
	for r := range rows {
		f.Fill(x+graphAxis-1, y+1+r, 1, '┊', draw.Faint)
	}
	dots := w - graphAxis
	f.dots = draw.Resample(f.dots, c.samples(polls), polls, 2*dots)
	g := draw.Graph{High: 100, Area: c.area, Line: draw.Data, Body: draw.Body}
	g.Draw(f.Canvas, x+graphAxis, y+1, dots, rows, f.dots)
	f.Put(x+graphAxis, y+1+rows, back, draw.Dim)
	f.Put(x+w-3, y+1+rows, "now", draw.Dim)
}

// nodeGraphs draws the node's utilisation over time.
func (f *frame) nodeGraphs(y int) {
	gpus := f.own(nil, f.node)
	if len(gpus) == 0 {
		return
	}
	interval := f.node.Interval
	if interval <= 0 {
		interval = f.poll
	}
	util := total(gpus).util
	charts := []chart{{
		title: "Utilization %, mean of " + strconv.Itoa(len(gpus)), now: percent(util.mean()), area: true,
		samples: func(n int) []float32 { return f.mean(gpus, n) },
	}}
	if len(gpus) > 1 {
		name, now := slowest(gpus, func(g *cluster.GPU) string { return "GPU" + strconv.Itoa(g.Number) })
		charts = append(charts, chart{title: "Slowest GPU %" + name, now: percent(now), samples: func(n int) []float32 { return f.lowest(gpus, n) }})
	}
	f.graphs(y, "This node over time", "newest at the right", interval, charts)
}

// apart is by how many points a GPU must be below the mean to be named: among equals the name would change with every poll.
const apart = 5

// slowest names the GPU that does the least, when it stands out.
func slowest(gpus []*cluster.GPU, name func(*cluster.GPU) string) (string, float64) {
	var low *cluster.GPU
	for _, g := range gpus {
		if g.UtilPercent != nil && (low == nil || *g.UtilPercent < *low.UtilPercent) {
			low = g
		}
	}
	if low == nil {
		return "", math.NaN()
	}
	now := float64(*low.UtilPercent)
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
