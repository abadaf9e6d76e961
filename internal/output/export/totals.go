package export

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/cluster/trend"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// newTotals are the numbers of a job over its GPUs on reporting nodes, as lists of jobs show them.
func newTotals(s *cluster.Snapshot, j *cluster.JobView) *schema.Totals {
	gpus := tally.Fresh(s, j)
	t := tally.Total(gpus)
	out := &schema.Totals{
		GPUsCounted: t.Counted(), UtilPercent: known(t.Util.Value), UtilMedianPercent: known(trend.MedianNow(gpus)),
		MemoryUsedBytes: known(t.Used.Value), MemoryTotalBytes: known(t.Memory.Value),
		PowerWatts: known(t.Power.Value), PowerLimitWatts: known(t.PowerLimit.Value),
		TemperatureCelsius: known(t.Temperature.Value),
	}
	if bytes, known := cluster.MemoryOfProcesses(tally.Each(s, j, false)); known {
		out.MemoryOfProcessesBytes = new(float64(bytes))
	}
	if low, standsOut := tally.Slowest(gpus); standsOut {
		out.UtilLowestPercent, out.UtilLowestNode = &low.Value, tally.NodeOf(s, j, low.GPU)
		out.UtilLowestGPU, _ = nameOf(low.GPU)
	}
	return out
}

// known is a number to three decimals, which no metric exceeds; nil if it is not known.
func known(v float64) *float64 {
	if v != v {
		return nil
	}
	v = metric.Round(v, 3)
	return &v
}
