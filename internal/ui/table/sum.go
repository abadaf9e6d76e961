package table

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// Sum draws the sum of the job's GPUs of the node in row y.
func (t *GPUs) Sum(f *part.Frame, y int) {
	l := &t.layout
	gpus := f.Own(nil, f.Node)
	sum := tally.Total(gpus)
	x := l[colGPU].X
	f.Put(x, y, "SUM", draw.Strong)
	if next := max(l[colName].X, l[colTemp].X); next >= x+12 {
		if n := sum.Counted(); n < sum.GPUs {
			f.Put(x+5, y, "("+strconv.Itoa(n)+" of "+strconv.Itoa(sum.GPUs)+")", draw.Warn)
		} else {
			f.Put(x+5, y, "("+part.Plural(sum.GPUs, "GPU", "GPUs")+")", draw.Dim)
		}
	}
	if sum.GPUs == 0 {
		return
	}
	f.Meter(l[colUtilBar], y, sum.Util.Mean(), draw.BarData)
	util := ""
	if sum.Util.Count > 0 {
		util = draw.Whole(sum.Util.Mean()) + "%"
	}
	f.Number(l[colUtil], y, util, draw.Strong)
	if sum.Used.Count > 0 {
		f.Meter(l[colMemBar], y, 100*sum.Used.Value/sum.Memory.Value, draw.BarMem)
	}
	f.Number(l[colUsed], y, part.MemorySum(&sum, l[colUsed].W), draw.Strong)
	power := part.Power(&sum, l[colPower].W, false)
	f.Number(l[colPower], y, power.Share()+power.Unit, draw.Strong)
	f.Trend(l[colHistory], y, func(n int) []float32 { return f.Memory.Mean(gpus, n) }, draw.Cell)
}
