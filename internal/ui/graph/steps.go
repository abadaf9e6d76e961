package graph

import (
	"cmp"
	"math"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// StepGraphs draws how fast the steps of the job were, and its loss, below row y. drawn reports whether there was room,
// and anything to draw.
func StepGraphs(f *part.Frame, y int, right string) (drawn bool) {
	past := f.Job.Steps
	if len(past) == 0 {
		return false
	}
	bin := f.Snap.Bin()
	a := axisBetween(f, past[0].At.UnixNano()/int64(bin), f.Snap.At.UnixNano()/int64(bin))
	return drawCharts(f, y, "Job history by its log, "+a.spanText(), right, a, stepCharts(f, a))
}

// HasSteps reports whether the log of the selected job has said what StepGraphs draws.
func HasSteps(s *part.Scene) bool {
	return len(stepCharts(&part.Frame{Scene: s}, axis{newest: s.Snap.At.UnixNano() / int64(s.Snap.Bin())})) > 0
}

// stepCharts are charts of the time of a step and of the loss; those of which the log has said nothing are left out.
func stepCharts(f *part.Frame, a axis) (charts []chart) {
	bin, now := f.Snap.Bin(), f.Job.Progress
	if now == nil {
		now = &cluster.JobProgress{}
	}
	add := func(value func(*progress.Point) float32, fill func(c *chart)) {
		c := chart{samples: func(n int) []float32 { return f.Job.Steps.Last(a.newest, bin, n, value) }}
		low, high := limitsOf(c.samples(int(spanOf(bin, f.Snap.Span) / bin)))
		if c.low, c.high = low, high; low <= high {
			fill(&c)
			charts = append(charts, c)
		}
	}
	add(func(p *progress.Point) float32 { return p.SecondsPerStep }, func(c *chart) { c.ofPace(now, f, a) })
	add(func(p *progress.Point) float32 { return p.Loss }, func(c *chart) { c.ofLoss(now) })
	return charts
}

// ofPace makes a chart of the time of a step. It is amber since the steps became slower.
func (c *chart) ofPace(now *cluster.JobProgress, f *part.Frame, a axis) {
	unit, name := 1.0, "s"
	if c.high < 1 {
		unit, name = 1e-3, "ms"
	}
	c.title, c.now, c.bottom, c.low, c.area = "Time of a step, "+name, cmp.Or(say.Pace(now), "n/a"), "0", 0, true
	c.scaleToSamples(unit)
	if now.Slower != nil {
		c.nowRole = draw.Warn
		c.held = func(n int) []float32 { return a.heldFrom(now.Slower.Since, f.Snap.Bin(), nil, n) }
	}
}

// ofLoss makes a chart of the loss, from its lowest value to its highest.
func (c *chart) ofLoss(now *cluster.JobProgress) {
	c.title, c.now, c.bottom, c.top = "Loss", "n/a", lossText(c.low), lossText(c.high)
	switch {
	case now.Diverged:
		c.now, c.nowRole = "NaN or inf", draw.Warn
	case now.Loss != nil:
		c.now = lossText(*now.Loss)
	}
	if c.low == c.high { // a line in the middle
		c.low, c.high = c.low-1, c.high+1
		c.bottom, c.top = "", ""
	}
}

// lossText is a loss with as many of three digits as the scale has room for.
func lossText(v float64) string {
	for digits := 3; digits > 1; digits-- {
		if text := strconv.FormatFloat(v, 'g', digits, 64); len(text) < graphAxis {
			return text
		}
	}
	return strconv.FormatFloat(v, 'g', 1, 64)
}

// limitsOf returns the lowest and the highest value. Without one, the lowest is above the highest.
func limitsOf(values []float32) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v == v {
			low, high = min(low, float64(v)), max(high, float64(v))
		}
	}
	return low, high
}
