package part

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
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
func graphs(f *Frame, y int, title, right string, newest int64, charts []chart) {
	y++ // blank
	free := f.H - 1 - y - 1
	if f.H >= 45 {
		free-- // a blank line before the keys
	}
	lines, across := 1, min(len(charts), max(f.W/graphWide, min(2, len(charts))))
	rows := free - graphFrame
	if two := (free - 1 - 2*graphFrame) / 2; across < len(charts) && two >= twoLines {
		lines, across, rows = 2, (len(charts)+1)/2, two
	}
	rows = min(rows, graphMost)
	w := (f.W - 2 - 2*across) / max(across, 1)
	if rows < graphLeast || w < graphAxis+12 {
		return
	}
	f.Section(y, title, right)
	for i, c := range charts[:min(len(charts), lines*across)] {
		drawChart(f, 2+i%across*(w+2), y+1+i/across*(rows+graphFrame+1), w, rows, newest, c)
	}
}

// drawChart draws one graph. Each of its dots holds the same whole number of samples.
func drawChart(f *Frame, x, y, w, rows int, newest int64, c chart) {
	f.Left(x, y, w-draw.Width(c.now)-1, c.title, draw.Dim)
	f.Right(x, y, w, c.now, draw.Strong)
	f.Right(x, y+1, graphAxis-1, c.top, draw.Dim)
	f.Right(x, y+rows, graphAxis-1, c.bottom, draw.Dim)
	for r := range rows {
		f.Fill(x+graphAxis-1, y+1+r, 1, '┊', draw.Faint)
	}
	bin, most := cluster.BinWidth(f.Snap.Poll), cluster.HistoryLen(f.Snap.Poll)
	wide := min(w-graphAxis, most/2)
	dots := 2 * wide
	per := max(min((int(graphSpan/bin)+dots-1)/dots, most/dots), 1)
	g := draw.Graph{Low: c.low, High: c.high, Area: c.area, Line: draw.Data, Body: draw.Body}
	g.Draw(f.Canvas, x+w-wide, y+1, wide, rows, draw.Resample(c.samples(dots*per), per, int(newest), dots, c.highest))
	f.Put(x+w-wide, y+1+rows, "-"+draw.Age(time.Duration(dots*per)*bin), draw.Dim)
	f.Put(x+w-3, y+1+rows, "now", draw.Dim)
}
