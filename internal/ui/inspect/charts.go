package inspect

import (
	"math"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/graph"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// charts are the numbers of a process that have a chart, in the order in which they are shown. Over several GPUs, a
// number is the mean of percents or the sum of bytes.
var charts = rows.InOrder(func(f *field.Field[rows.Process]) int { return f.Chart.Place })

var unknown = math.NaN()

// gaugeOfProcess is a number of a process over all of its GPUs, NaN if unknown.
func gaugeOfProcess(of *field.Field[rows.Process], on []*wire.Process) float64 {
	total, n := 0.0, 0
	for _, p := range on {
		if v, known := of.Number(&rows.Process{Process: p}); known {
			total, n = total+v, n+1
		}
		if !of.OnGPU {
			break
		}
	}
	switch {
	case n == 0:
		return unknown
	case of.Unit == field.Percent:
		return total / float64(n)
	}
	return total
}

// pastCharts returns the charts of the past.
func (m *Metrics) pastCharts() *graph.HistorySet {
	sheet := graph.NewSheet(m.past.oldestBin(), m.past.newest, m.past.width, m.hasExited())
	on := ""
	if n := len(m.now.gpus); n > 1 {
		on = strconv.Itoa(n) + " GPUs"
	}
	for i := range charts {
		c, v, past := charts[i], m.now.values[i], m.past.chartSamples(i)
		title := c.Chart.Title
		switch {
		case c.Chart.Rare && !m.past.hasValue(i):
		case c.OnGPU && c.Unit == field.Percent:
			sheet.Share(title+withPrefix(", mean of ", on), v, past)
		case c.OnGPU:
			most := 0.0
			if m.now.most > 0 {
				most = m.now.most
				title += " of " + draw.GiB(uint64(most))
			}
			sheet.Amount(title+withPrefix(", ", on), graph.Words(v, part.Bytes), most, gib, past)
		case c.Unit == field.Bytes:
			sheet.Amount(title, graph.Words(v, part.Bytes), 0, gib, past)
		default:
			sheet.Amount(title, graph.Words(v, func(v float64) string { return draw.Whole(v) + "%" }), 0, 1, past)
		}
	}
	return sheet
}

// withPrefix puts a prefix before a text that is not empty.
func withPrefix(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}
