// Package graph shows the past: graphs of a node, of a job and of one GPU, the timeline of the throttle reasons, and
// the strip of the nodes over time. It also shows the present load of the engines of a GPU.
//
// All graphs of a screen cover the same time span, at every width. Their places depend on the size of the terminal and
// on the features of the GPUs, never on values. Drawing changes nothing but the canvas; the rules for a Frame are those
// of package part.
package graph

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/trend"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// graphBins is the least number of bins that the graphs show.
const graphBins = 60

// axis is the time span that all graphs of a screen show.
type axis struct {
	newest int64 // number of the newest bin
	bins   int
	span   time.Duration
	end    time.Time // set for a node that has failed, and while the user looks back; zero: now
}

// axisOf returns the time axis for GPUs.
func axisOf(f *part.Frame, gpus []*cluster.GPU) axis {
	return axisBetween(f, trend.Oldest(gpus...), trend.Edge(gpus...))
}

// axisBetween returns the time axis for samples from one bin up to another.
func axisBetween(f *part.Frame, oldest, newest int64) axis {
	a := axisFrom(oldest, newest, f.Snap.Bin(), f.Snap.Span)
	if f.Ago != "" {
		a.end = f.Snap.At
	}
	return a
}

// endAtFailure returns the axis that ends with the past of a node, if the node has failed.
func (a axis) endAtFailure(n *cluster.Node) axis {
	if n != nil && n.Past != nil {
		a.end = n.Arrived
	}
	return a
}

// axisFrom returns the time axis for samples from one bin up to another: a fifth of the longest span at first, then
// half of it, then all of it, as the samples grow.
func axisFrom(oldest, newest int64, bin, longest time.Duration) axis {
	span := spanOf(bin, longest)
	a := axis{newest: newest}
	have := time.Duration(newest-oldest+1) * bin
	for _, part := range []time.Duration{5, 2, 1} {
		a.span = span / part
		if have <= a.span {
			break
		}
	}
	a.bins = max(int((a.span+bin-1)/bin), 1)
	return a
}

// spanText is the span of the axis in words.
func (a axis) spanText() string {
	span := draw.Age(a.span)
	if a.span < time.Hour && a.span%time.Minute == 0 {
		span = strconv.Itoa(int(a.span/time.Minute)) + " min"
	}
	if !a.end.IsZero() {
		return "the " + span + " until " + a.end.Format(time.TimeOnly)
	}
	return "last " + span
}

// titleText is spanText at the beginning of a title.
func (a axis) titleText() string { return strings.ToUpper(a.spanText()[:1]) + a.spanText()[1:] }

// chart is one graph: its title, present value, scale and samples, and how they are drawn.
type chart struct {
	title, short string // short is used where the title does not fit
	named        string // short with the name of the graph's GPU; "": about no single GPU
	now          string
	nowRole      draw.Role // Text: the usual role
	top, bottom  string    // the ends of the scale, in words
	low, high    float64
	mark         float64 // a dotted line at this value; 0: none
	samples      series
	upper        series // upper edge of a band; nil: none
	held         series // above 0 where a rule held; nil: nowhere
	usual        series // a thin line: the median of the job; nil: none
	area         bool
	pool         draw.Pool
}

// series returns the newest n samples of a number.
type series func(n int) []float32

const (
	graphAxis  = 6  // columns of the scale
	graphFrame = 2  // rows of the title and the time axis
	graphLeast = 4  // least rows of dots
	graphMost  = 30 // most rows of dots per line, with two lines of graphs
	twoLines   = 6  // least rows of dots per line for a second line of graphs
	graphWide  = 60 // a good width for a graph
)

// drawCharts draws charts below their section's rule, from row y on as far as there is room. drawn reports whether
// there was room.
func drawCharts(f *part.Frame, y int, title, right string, a axis, charts []chart) (drawn bool) {
	y++ // a blank row
	free := f.H - 1 - y - 1
	if f.H >= 45 {
		free-- // a blank line before the keys
	}
	lines, rows := arrangeCharts(charts, f.W, free)
	if len(lines) == 0 || rows < graphLeast || chartWidth(f.W, len(lines[0])) < graphAxis+12 {
		return false
	}
	f.Section(y, title, right)
	for i, line := range lines {
		w := chartWidth(f.W, len(line))
		for k, c := range line {
			drawChart(f, 2+k*(w+2), y+1+i*(rows+graphFrame+1), w, rows, a, c)
		}
	}
	return true
}

// chartWidth returns the width of each of n graphs in a row.
func chartWidth(width, n int) int { return (width - 2 - 2*n) / n }

// arrangeCharts puts charts beside each other, or in two lines if one line would be too long or too high. It returns
// the number of rows of dots of each chart. Up to three charts always stand in one line, and five in lines of
// three and two.
func arrangeCharts(charts []chart, width, free int) (lines [][]chart, rows int) {
	if len(charts) == 0 {
		return nil, 0
	}
	most := max(width/graphWide, 2)
	if n := len(charts); n <= 3 || n == 5 {
		most = max(most, min(n, 3))
	}
	one, two := free-graphFrame, (free-1-2*graphFrame)/2
	if len(charts) <= 3 || two < twoLines || len(charts) <= most && one <= graphMost {
		return [][]chart{charts[:min(len(charts), most)]}, one
	}
	first := min((len(charts)+1)/2, most)
	return [][]chart{charts[:first], charts[first:min(2*first, len(charts))]}, min(two, graphMost)
}

// drawChart draws one graph with the time below it.
func drawChart(f *part.Frame, x, y, w, rows int, a axis, c chart) {
	c.drawPlot(f, x, y, w, rows, a)
	axisEnds(f, x+graphAxis, y+1+rows, w-graphAxis, a)
}

// drawPlot draws the title, and below it this many rows of dots.
func (c *chart) drawPlot(f *part.Frame, x, y, w, rows int, a axis) {
	c.drawTitle(f, x, y, w)
	f.Right(x, y+1, graphAxis-1, c.top, draw.Dim)
	f.Right(x, y+rows, graphAxis-1, c.bottom, draw.Dim)
	for r := range rows {
		f.Fill(x+graphAxis-1, y+1+r, 1, '┊', draw.Faint)
	}
	c.drawDots(f, x+graphAxis, y+1, w-graphAxis, rows, a)
}

// drawTitle writes the title of a graph and its present value.
func (c *chart) drawTitle(f *part.Frame, x, y, w int) {
	title, room := c.title, w-draw.Width(c.now)-1
	if draw.Width(title) > room && c.named != "" {
		title = c.named
	}
	if draw.Width(title) > room { // half a name is useless
		title, _, _ = strings.Cut(c.title, "  (")
	}
	if draw.Width(title) > room && c.short != "" {
		title = c.short
	}
	f.Left(x, y, room, title, draw.Dim)
	f.Right(x, y, w, c.now, cmp.Or(c.nowRole, draw.Strong))
}

// drawDots draws the dotted line and the samples.
func (c *chart) drawDots(f *part.Frame, x, y, w, rows int, a axis) {
	g := draw.Graph{Low: c.low, High: c.high, Area: c.area, Line: draw.Data, Body: draw.Body}
	if c.mark > 0 {
		f.Fill(x, y+g.Row(c.mark, rows), w, '╌', draw.Faint)
	}
	s := draw.Sampling{Newest: a.newest, Bins: a.bins, Dots: 2 * w}
	if c.upper != nil {
		g.Upper = s.Resample(c.upper(s.Values()), draw.PoolMean)
	}
	if c.held != nil {
		g.Held = s.Resample(c.held(s.Values()), draw.PoolHighest)
	}
	if c.usual != nil {
		g.Usual = s.Resample(c.usual(s.Values()), draw.PoolMean)
	}
	values := s.Resample(c.samples(s.Values()), c.pool)
	if !c.area && isRestless(values, c.high-c.low) {
		upper := g.Upper
		if upper == nil {
			upper = values
		}
		values, g.Upper = localExtremes(values, draw.PoolLowest), localExtremes(upper, draw.PoolHighest)
	}
	g.Draw(f.Canvas, x, y, w, rows, values)
}

// isRestless reports whether values jump up and down all the time, as in a job with a short cycle: one by one they
// would look like a cloud of dots.
func isRestless(values []float32, scale float64) bool {
	leaps, pairs := 0, 0
	for i := 1; i < len(values); i++ {
		by := float64(values[i] - values[i-1])
		if by != by {
			continue
		}
		if pairs++; math.Abs(by) > scale/4 {
			leaps++
		}
	}
	return 5*leaps > pairs
}

// envelope is the number of values on each side over which the envelope takes its extremes.
const envelope = 3

// localExtremes returns for each value the extreme of the values around it. A gap stays a gap.
func localExtremes(values []float32, pool draw.Pool) []float32 {
	around := make([]float32, len(values))
	for i, v := range values {
		if around[i] = v; v == v {
			around[i] = pool.Of(values[max(i-envelope, 0):min(i+envelope+1, len(values))])
		}
	}
	return around
}

// endOf names the right end of a time axis; the zero time is now.
func endOf(at time.Time) string {
	if at.IsZero() {
		return "now"
	}
	return at.Format(time.TimeOnly)
}
