package graph

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// HistorySet is a set of histories whose samples a page has collected itself, in bins of time that are numbered from
// the epoch.
type HistorySet struct {
	axis   axis
	bin    time.Duration
	old    bool // no new samples arrive
	charts []chart
}

// NewSheet returns an empty sheet for samples from one bin up to another. An old sheet is drawn like old numbers.
func NewSheet(oldest, newest int64, bin time.Duration, old bool) *HistorySet {
	return &HistorySet{axis: axisFrom(oldest, newest, bin, 0), bin: bin, old: old}
}

// Title says which time the sheet covers.
func (s *HistorySet) Title() string { return s.axis.titleText() }

// Share adds a chart of percents up to 100. samples returns the newest n.
func (s *HistorySet) Share(title string, now float64, samples func(n int) []float32) {
	s.addChart(shareChart(title, now, samples))
}

// Amount adds a chart of an amount with its present value in words, up to a limit in a unit. If the limit is 0, the
// scale ends at the lowest round number above the samples.
func (s *HistorySet) Amount(title, now string, limit, unit float64, samples func(n int) []float32) {
	c := chart{title: title, now: now, bottom: "0", area: true, samples: samples}
	if limit > 0 {
		c.high, c.top = limit, draw.Whole(limit/unit)
	} else {
		c.scaleToSamples(unit)
	}
	s.addChart(c)
}

func (s *HistorySet) addChart(c chart) {
	if s.old {
		c.nowRole = draw.Dim
	}
	s.charts = append(s.charts, c)
}

// Draw draws as many charts as fit into these rows, in the order in which they were added.
func (s *HistorySet) Draw(f *part.Frame, y, rows int) {
	a := s.axis
	if f.Ago != "" {
		a.end = time.Unix(0, a.newest*int64(s.bin))
	}
	drawSheet(f, y, rows, a, len(s.charts), func(i int) chart { return s.charts[i] })
	for i := range rows {
		if s.old {
			f.Fade(y+i, 0, f.W)
		}
	}
}

// chartsAbreast returns the number of charts that stand side by side.
func chartsAbreast(width int) int {
	switch {
	case width < 70:
		return 1
	case width < 150:
		return 2
	case width < 190:
		return 3
	}
	return 4
}

// drawSheet draws as many of n charts as fit into these rows. In low terminals only the last line of charts has a time
// axis.
func drawSheet(f *part.Frame, y, rows int, a axis, n int, of func(i int) chart) {
	across := chartsAbreast(f.W)
	if n == 0 || chartWidth(f.W, across) < graphAxis+6 {
		return
	}
	wanted := (n + across - 1) / across
	own := f.H >= part.Tall
	least, foot := graphLeast+graphFrame, 0
	if !own {
		least, foot = graphLeast, 1
	}
	lines := min(wanted, (rows-foot)/least)
	if lines < 1 {
		return
	}
	if lines == wanted {
		across = (n + lines - 1) / lines // all lines have about the same number
	}
	high := (rows - foot) / lines
	for i := range lines {
		end := min((i+1)*across, n)
		w := chartWidth(f.W, end-i*across)
		for k := i * across; k < end; k++ {
			x, c := 2+(k-i*across)*(w+2), of(k)
			if own {
				drawChart(f, x, y+i*high, w, high-graphFrame, a, c)
			} else {
				c.drawPlot(f, x, y+i*high, w, high-1, a)
			}
			if !own && i == lines-1 {
				axisEnds(f, x+graphAxis, y+lines*high, w-graphAxis, a)
			}
		}
	}
}
