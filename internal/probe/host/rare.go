package host

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// rareMemory and rareCPU are metrics that are read only every metric.SlowSeconds: they differ in each reading, and
// nobody needs them in each report.
var (
	rareMemory = [...]struct {
		metric.ID
		key string
	}{{metric.HostMemoryBuffers, "Buffers:"}, {metric.HostMemoryCached, "Cached:"}, {metric.HostMemoryShared, "Shmem:"},
		{metric.HostMemorySlab, "Slab:"}}
	rareCPU = [...]metric.ID{metric.CPUUserTime, metric.CPUUserTime, metric.CPUSystemTime, metric.CPUIdleTime,
		metric.CPUIOWaitTime, metric.CPUSystemTime, metric.CPUSystemTime} // by their index in modes
)

// ticksPerSecond is the unit of the times in /proc/stat.
const ticksPerSecond = 100

// slowMetrics keeps these metrics between two readings.
type slowMetrics struct {
	due    bool // in this report
	known  bool
	at     time.Duration // CLOCK_MONOTONIC of the last reading
	cpu    modes         // in this report; zero: could not be read
	values metric.Values
}

// startReport records the time of a new report.
func (r *slowMetrics) startReport(at time.Duration) {
	r.due = !r.known || at-r.at >= metric.SlowSeconds*time.Second
	if r.cpu = (modes{}); r.due {
		r.at, r.known, r.values = at, true, metric.Values{}
	}
}

// end sets these metrics in the report.
func (r *slowMetrics) end(to *metric.Values) {
	for i, id := range rareCPU {
		if before, _ := r.values.Get(id); r.due && r.cpu != (modes{}) {
			r.values.Set(id, before+float64(r.cpu[i])/ticksPerSecond)
		}
	}
	for _, id := range rareCPU {
		to.Set(id, r.values.Float(id))
	}
	for _, m := range rareMemory {
		to.Set(m.ID, r.values.Float(m.ID))
	}
}
