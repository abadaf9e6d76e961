package rows

import (
	"fmt"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// ofJobGPU has the fields of a GPU that a job has too.
var ofJobGPU = []field.Field[cluster.GPU]{
	ofMetric(metric.Util, "50", "utilization; of a node or a job that of one GPU is enough", "util"),
	ofMetric(metric.Temperature, "80", "temperature of a GPU", "temp"),
	ofMetric(metric.Power, "300W", "power draw of a GPU", "power"),
}

// ofGPU has the fields of a GPU for rows about GPUs. If a row is about several GPUs, the values of each count.
var ofGPU = slices.Concat(ofJobGPU, []field.Field[cluster.GPU]{
	ofMetric(metric.MemoryUsed, "10GiB", "GPU memory in use, by all processes", "mem_used"),
	ofMetric(metric.MemoryTotal, "80GiB", "GPU memory", "mem_total"),
	{Key: "memory_percent", Also: []string{"mem_pct"}, Unit: field.Percent, Example: "90",
		Help: "share of the GPU memory in use", Number: func(g *cluster.GPU) (float64, bool) {
			return cluster.Percent(g.Float(metric.MemoryUsed), g.Float(metric.MemoryTotal))
		}},
	{Key: "memory_peak_percent", Unit: field.Percent, Title: "%PEAK", Width: 5, Example: "95", AtRank: 4, OnGPU: true,
		Help: "highest share of the GPU memory that was in use while it was watched", DownFirst: true,
		Number: func(g *cluster.GPU) (float64, bool) {
			peak, known := memoryPeak(g)
			if !known {
				return 0, false
			}
			return cluster.Percent(peak, g.Float(metric.MemoryTotal))
		}},
	{Key: "memory_full_seconds", Unit: field.Seconds, Title: "full in", Width: 7, Example: "1h", AtRank: 5, OnGPU: true,
		Help: "time until the GPU memory is full, if it has grown evenly for half an hour", Number: untilMemoryFull},
	{Key: "memory_peak_bytes", Unit: field.Bytes, Title: "peak/tot", Width: 9, Example: "70GiB", AtRank: 6, OnGPU: true,
		Help: "highest GPU memory in use while it was watched, by all processes", DownFirst: true, Number: memoryPeak},
	{Key: "gpu_name", Example: "H100", Help: "model of the GPU",
		Text: func(g *cluster.GPU) string { return tally.ShortModel(g.Card.Name) }},
	{Key: "uuid", Example: "GPU-1c2d", Help: "UUID of the GPU",
		Text: func(g *cluster.GPU) string { return g.Card.UUID }},
	{Key: "pci_bus", Also: []string{"bus"}, Example: "00000000:1B:00.0", Help: "PCI bus ID of the GPU",
		Text: func(g *cluster.GPU) string { return g.Card.PCIBus }},
	{Key: "device_type", Example: "GPU", Help: "GPU, or MIG for an instance of one", Text: deviceType},
	ofMetric(metric.PerformanceState, "0", "performance state of the GPU, 0 is the fastest", "pstate"),
	ofMetric(metric.NUMANode, "1", "NUMA node of the GPU", "numa"),
})

// fieldUnits has the unit of a field for each unit of a metric that a number can show. It is a Count where package
// field has no such unit.
var fieldUnits = map[metric.Unit]field.Unit{
	metric.Percent: field.Percent, metric.Relative: field.Percent, metric.Celsius: field.Celsius,
	metric.Watts: field.Watts, metric.Bytes: field.Bytes, metric.BytesPerSecond: field.BytesPerSecond,
	metric.Seconds: field.Seconds, metric.Count: field.Count, metric.MHz: field.Count, metric.Joules: field.Count,
}

// ofMetric returns the field for a metric; it has the metric's key and unit. If package field lacks that unit, the help
// says it.
func ofMetric(id metric.ID, example, help string, also ...string) field.Field[cluster.GPU] {
	of := id.Row().Unit
	unit, known := fieldUnits[of]
	switch {
	case !known:
		panic(fmt.Sprintf("no field has the unit of %v: add a row for metric.Unit %q to fieldUnits in "+
			"internal/rows/gpu.go, with field.Count if package field has no such unit", id, of))
	case unit == field.Count && of != metric.Count:
		help += ", in " + of.String()
	}
	return field.Field[cluster.GPU]{Key: id.Row().Key, Also: also, Unit: unit, Example: example, Help: help,
		DownFirst: true, Number: func(g *cluster.GPU) (float64, bool) { return measuredNumber(g.Float(id)) }}
}

// memoryPeak returns the highest memory in use while a GPU was watched.
func memoryPeak(g *cluster.GPU) (float64, bool) { return g.Memory.Peak(), g.Memory.Known() }

// untilMemoryFull returns the seconds until the memory of a GPU is full, if it fills up.
func untilMemoryFull(g *cluster.GPU) (float64, bool) {
	trend, fills := g.Memory.Trend(g.Float(metric.MemoryTotal))
	return trend.Full.Seconds(), fills
}

// MemoryUrgency orders GPUs by how soon their memory runs out: those that fill up come first, then those with the
// highest peak.
func MemoryUrgency(g *cluster.GPU) (float64, bool) {
	if g == nil {
		return 0, false
	}
	if left, fills := untilMemoryFull(g); fills {
		return 100 + 1/(1+left), true
	}
	peak, known := memoryPeak(g)
	if !known {
		return 0, false
	}
	return cluster.Percent(peak, g.Float(metric.MemoryTotal))
}

func deviceType(g *cluster.GPU) string {
	if g.Instance() {
		return "MIG"
	}
	return "GPU"
}

// numberOfGPU is the field of the numbers of several GPUs.
var numberOfGPU = field.Field[cluster.GPU]{Key: "gpu", Also: []string{"index"}, Unit: field.Count, Example: "3",
	Help: "number of the GPU", Title: "GPU", Width: 3,
	Number: func(g *cluster.GPU) (float64, bool) { return gpuNumber(g.Number) }}

// sums are values that the pages compute from several GPUs.
type sums struct {
	*tally.Totals
	low tally.Sum // of the utilization
}

// ofJobSums are the fields of rows about several GPUs that a job has too.
var ofJobSums = []field.Field[sums]{
	{Key: "util_lowest_percent", Also: []string{"util_low"}, Unit: field.Percent, Example: "50",
		Help: "utilization of the lowest GPU", Title: "lowest", Width: 6,
		Number: func(s *sums) (float64, bool) { return measuredNumber(s.low.Value) }},
	{Key: "util_mean_percent", Also: []string{"util_avg"}, Unit: field.Percent, Example: "50",
		Help: "mean utilization of the GPUs", Title: "util", Width: 5,
		Number: func(s *sums) (float64, bool) { return measuredNumber(s.Util.Value) }},
	{Key: "power_sum_watts", Also: []string{"power_sum"}, Unit: field.Watts, Example: "2kW",
		Help: "power draw of the GPUs together", Title: "power", Width: 7, DownFirst: true,
		Number: func(s *sums) (float64, bool) { return measuredNumber(s.Power.Value) }},
}

// ofSums are the fields of rows about several GPUs.
var ofSums = slices.Concat(ofJobSums, []field.Field[sums]{
	{Key: "memory_used_sum_bytes", Also: []string{"mem_used_sum"}, Unit: field.Bytes, Example: "300GiB",
		Help: "GPU memory in use on the GPUs together", DownFirst: true,
		Number: func(s *sums) (float64, bool) { return measuredNumber(s.Used.Value) }},
	{Key: "memory_mean_percent", Also: []string{"mem_pct_avg"}, Unit: field.Percent, Example: "90",
		Help: "share of the memory of all the GPUs in use", DownFirst: true,
		Number: func(s *sums) (float64, bool) { return cluster.Percent(s.Used.Value, s.Memory.Value) }},
})
