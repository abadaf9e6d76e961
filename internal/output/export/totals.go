package export

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/cluster/trend"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// newTotals returns the numbers of a job over its GPUs on reporting nodes, as lists of jobs show them.
func newTotals(s *cluster.Snapshot, j *cluster.JobView) *schema.Totals {
	gpus := tally.Fresh(s, j)
	t := tally.Total(gpus)
	out := &schema.Totals{
		GPUsCounted: t.Counted(), UtilPercent: roundedOrNil(t.Util.Value),
		UtilMedianPercent: roundedOrNil(trend.MedianNow(gpus)),
		MemoryUsedBytes:   roundedOrNil(t.Used.Value), MemoryTotalBytes: roundedOrNil(t.Memory.Value),
		PowerWatts: roundedOrNil(t.Power.Value), PowerLimitWatts: roundedOrNil(t.PowerLimit.Value),
		TemperatureCelsius: roundedOrNil(t.Temperature.Value),
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

// roundedOrNil returns a number to three decimals, which no metric exceeds; nil if it is unknown.
func roundedOrNil(v float64) *float64 {
	if v != v {
		return nil
	}
	return new(metric.Round(v, 3))
}
