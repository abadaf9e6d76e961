package host

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// rareMemory and rareCPU are the metrics that are read every metric.SlowSeconds. They differ in each reading, and
// nobody needs them in each report.
var (
	rareMemory = map[metric.ID]string{metric.HostMemoryBuffers: "Buffers:", metric.HostMemoryCached: "Cached:",
		metric.HostMemoryShared: "Shmem:", metric.HostMemorySlab: "Slab:"}
	rareCPU = map[metric.ID][]int{metric.CPUUserTime: {0, 1}, metric.CPUSystemTime: {2, 5, 6},
		metric.CPUIdleTime: {3}, metric.CPUIOWaitTime: {4}}
)

// ticksPerSecond is the unit of the times in /proc/stat.
const ticksPerSecond = 100

// rare keeps these metrics between two readings.
type rare struct {
	due    bool // in this report
	known  bool
	at     time.Duration // CLOCK_MONOTONIC of the last reading
	cpu    modes         // in this report; zero: could not be read
	values metric.Values
}

// begin begins a report.
func (r *rare) begin(at time.Duration) {
	r.due = !r.known || at-r.at >= metric.SlowSeconds*time.Second
	if r.cpu = (modes{}); r.due {
		r.at, r.known, r.values = at, true, metric.Values{}
	}
}

// end sets the metrics of the report.
func (r *rare) end(to *metric.Values) {
	for id, fields := range rareCPU {
		if r.due && r.cpu != (modes{}) {
			var ticks uint64
			for _, i := range fields {
				ticks += r.cpu[i]
			}
			r.values.Set(id, float64(ticks)/ticksPerSecond)
		}
		to.Set(id, r.values.Float(id))
	}
	for id := range rareMemory {
		to.Set(id, r.values.Float(id))
	}
}
