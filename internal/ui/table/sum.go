package table

import (
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/cluster/trend"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Sum draws, in row y, the sum over the job's shown GPUs of the node.
func (t *GPUs) Sum(f *part.Frame, y int) {
	l := t.layout
	gpus := slices.DeleteFunc(f.Own(f.Node), func(g *cluster.GPU) bool { return !f.Only.Shows(g) })
	sum := tally.Total(gpus)
	x := l[colGPU].X
	f.Put(x, y, "ALL", draw.Strong)
	first := f.W - 1
	// the columns before these have no sum
	for _, k := range []col{colUtilBar, colUtil, colMemBar, colUsed, colPower, colHistory} {
		if l[k].Shown() {
			first = min(first, l[k].X)
		}
	}
	writeCount(f, x+len("ALL "), y, first-1-x-len("ALL "), &sum)
	if sum.GPUs > 0 {
		writeTotals(f, y, sumOf(f.Node, gpus), l, draw.Strong, false)
	}
}

// writeCount says in w columns how many GPUs the sum includes. Even narrow terminals must show that some are missing.
func writeCount(f *part.Frame, x, y, w int, sum *tally.Totals) {
	n, all := strconv.Itoa(sum.Counted()), strconv.Itoa(sum.GPUs)
	words, role := []string{"(" + n + " of " + all + ")", n + " of " + all, n + "/" + all}, draw.Warn
	if n == all {
		words, role = []string{"(" + part.Plural(sum.GPUs, "GPU", "GPUs") + ")"}, draw.Dim
	}
	for _, text := range words {
		if len(text) <= w {
			f.Put(x, y, text, role)
			return
		}
	}
}

// totalsRow is a line of totals.
type totalsRow struct {
	gpus    []*cluster.GPU
	total   tally.Totals
	history func(n int) []float32

	processes func() string // the memory of their processes, where the driver does not report that of the GPUs
}

// sumOf is the sum over GPUs of a node.
func sumOf(n *cluster.Node, gpus []*cluster.GPU) totalsRow {
	return totalsRow{
		gpus: gpus, total: tally.Total(gpus),
		history:   func(bins int) []float32 { return trend.Of(gpus, metric.Util, metric.Mean, bins) },
		processes: func() string { return part.ProcessSum(n.MemoryOfProcesses(gpus...)) },
	}
}

// historyKey is a key of part.Once.
type historyKey struct{ n int }

// jobSum is the sum over all GPUs of the job that report. If all nodes are silent, it is the sum before the silence.
func jobSum(f *part.Frame) totalsRow {
	gpus := f.LastSaid()
	return totalsRow{gpus: gpus, total: f.LastTotal(), processes: f.JobProcessSum, history: func(n int) []float32 {
		return part.Once(f.Scene, historyKey{n},
			func() []float32 { return trend.Of(gpus, metric.Util, metric.Mean, n) })
	}}
}

// sumColumns are the columns of totals: of a node with its GPUs as rows, or of a job with its nodes as rows.
type sumColumns struct{ util, used, power col }

var (
	ofNode = sumColumns{colUtil, colUsed, colPower}
	ofJob  = sumColumns{colMean, colUsedSum, colPowerSum}
)

// writeTotals writes the totals of GPUs: in the units of one node, or with large in larger units and with the mean of
// the cells' gauge.
func writeTotals(f *part.Frame, y int, of totalsRow, l Layout, role draw.Role, large bool) {
	in := ofNode
	if large {
		in = ofJob
	}
	if s := l[in.util]; len(of.gpus) == 0 {
		f.Right(s.X, y, s.W, "–", draw.Dim)
		return
	}
	t := of.total
	heat := role
	if role == draw.Text {
		heat = part.HeatRole(t.Temperature)
	}
	memory, used := role, part.MemorySum(&t)
	if t.Used.Known() {
		percent := 100 * t.Used.Value / t.Memory.Value
		level, bar := f.MemoryLevel(percent, role, draw.BarMem)
		f.Meter(l[colMemBar], y, percent, bar)
		memory = level
	} else {
		used = of.processes()
	}
	number, bar := f.Level(t.Util.Value, role, draw.BarData)
	average := part.Summed(t.Util, "%")
	if large {
		var mean tally.Sum
		mean, number = f.Gauged(of.gpus, role)
		average = part.Summed(mean, part.GaugeUnit(f.Gauge))
	}
	history, _ := f.Level(t.Util.Value, draw.Cell, bar)
	f.Meter(l[colUtilBar], y, t.Util.Value, bar)
	f.Number(l[in.util], y, average, number)
	f.Number(l[in.used], y, used, memory)
	f.Number(l[in.power], y, part.Power(&t, l[in.power].W, large).String(), role)
	f.Number(l[colHottest], y, part.Summed(t.Temperature, "°C"), heat)
	f.Trend(l[colHistory], y, of.history, history)
}
