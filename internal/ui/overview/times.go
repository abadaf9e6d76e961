package overview

import (
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// drawTimes draws one row per node with its past, a legend and the problems, and returns the row below.
func (o *Page) drawTimes(f *part.Frame) int {
	o.timesTitle(f, table.NewTimes(f))
	y := o.nodeRows(f)
	f.Fill(2, y, f.W-4, '╌', draw.Faint)
	shortLegend(f, 3, y+1)
	return o.drawProblems(f, y+2)
}

// timesTitle explains the rows, and the time of a column, in the rule.
func (o *Page) timesTitle(f *part.Frame, t *table.Times) {
	x := o.nodeFilter().writeTitle(f, 2)
	where := o.Window(f.Scene).Where()
	right := strings.TrimSpace("one column = " + draw.Age(t.Column()) + "  " + where)
	if x+draw.Width(right)+6 > f.W {
		right = where
	}
	outer := " " + part.GaugeOuter(f.Gauge) + " "
	for _, text := range []string{outer + "of each node ", outer} {
		if x+draw.Width(text)+draw.Width(right)+6 <= f.W {
			f.Put(x, 2, text, draw.Dim)
			break
		}
	}
	f.RuleEnd(2, right)
}
