package track

import (
	"encoding/csv"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Point is what the command used at one sample, in bytes and percent.
type Point struct {
	At time.Time

	Main, Descendants, Combined, System float64 // memory
	GPU                                 GPURAM
	GPUPercent                          float64 // of the expected GPUs, added up

	MainThreads, DescendantsThreads int

	SystemCPU, MainCPU, DescendantsCPU float64
}

// CSV writes points in the form of gpu_tracker's tracking file: two lines about what does not change, the names of the
// columns, and then one line per point.
type CSV struct {
	to    *csv.Writer
	units Units
	begun bool
	over  bool // there was an error
	err   error
}

// NewCSV returns a writer of points.
func NewCSV(w io.Writer, u Units) *CSV { return &CSV{to: csv.NewWriter(w), units: u} }

var (
	constants = []string{"ram_unit", "gpu_ram_unit", "time_unit", "ram_system_capacity", "gpu_ram_system_capacity",
		"system_core_count", "n_expected_cores", "system_gpu_count", "n_expected_gpus"}
	columns = []string{"main_ram", "descendants_ram", "combined_ram", "system_ram", "main_gpu_ram",
		"descendants_gpu_ram", "combined_gpu_ram", "system_gpu_ram", "gpu_sum_utilization_percent",
		"gpu_hardware_utilization_percent", "main_n_threads", "descendants_n_threads", "combined_n_threads",
		"cpu_system_sum_utilization_percent", "cpu_system_hardware_utilization_percent",
		"cpu_main_sum_utilization_percent", "cpu_main_hardware_utilization_percent",
		"cpu_descendants_sum_utilization_percent", "cpu_descendants_hardware_utilization_percent",
		"cpu_combined_sum_utilization_percent", "cpu_combined_hardware_utilization_percent", "timestamp"}
)

// Write writes a point. It returns only the first error of all points, and only once.
func (c *CSV) Write(t *Tracker) error {
	if c.over {
		return nil
	}
	p, r := t.Now(), t.Report(c.units)
	if !c.begun {
		c.begun = true
		c.writeLine(constants...)
		c.writeLine(c.units.RAM, c.units.GPURAM, c.units.Time, formatDecimal(r.RAM.SystemCapacity),
			formatDecimal(r.GPURAM.SystemCapacity), strconv.Itoa(r.CPU.SystemCores), strconv.Itoa(r.CPU.ExpectedCores),
			strconv.Itoa(r.GPU.SystemGPUs), strconv.Itoa(r.GPU.ExpectedGPUs))
		c.writeLine(columns...)
	}
	size, gpu := sizeOf(sizes, c.units.RAM), sizeOf(sizes, c.units.GPURAM)
	var fields []string
	for _, bytes := range []float64{p.Main, p.Descendants, p.Combined, p.System} {
		fields = append(fields, formatDecimal(bytes/size))
	}
	for _, bytes := range []float64{p.GPU.Main, p.GPU.Descendants, p.GPU.Combined, p.GPU.System} {
		fields = append(fields, formatDecimal(bytes/gpu))
	}
	share := func(percent float64, of int) {
		fields = append(fields, formatDecimal(percent), formatDecimal(percent/float64(max(of, 1))))
	}
	share(p.GPUPercent, r.GPU.ExpectedGPUs)
	for _, n := range []int{p.MainThreads, p.DescendantsThreads, p.MainThreads + p.DescendantsThreads} {
		fields = append(fields, strconv.Itoa(n))
	}
	share(p.SystemCPU, r.CPU.SystemCores)
	for _, percent := range []float64{p.MainCPU, p.DescendantsCPU, p.MainCPU + p.DescendantsCPU} {
		share(percent, r.CPU.ExpectedCores)
	}
	c.writeLine(append(fields, formatDecimal(float64(p.At.UnixMicro())/1e6))...)
	c.over = c.err != nil
	return c.err
}

// writeLine writes a line in one piece, so that a reader always sees whole lines.
func (c *CSV) writeLine(fields ...string) {
	if c.err == nil {
		if c.err = c.to.Write(fields); c.err == nil {
			c.to.Flush()
			c.err = c.to.Error()
		}
	}
}

func formatDecimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Now returns what the command used at the last sample.
func (t *Tracker) Now() Point {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}

// Join starts to track a process that has already run for a while. What it has used so far does not count. It reports
// false if there is no such process.
func (t *Tracker) Join(at time.Time, pid int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.began, t.at, t.window, t.joined = at, at, at, true
	t.family.main = pid
	if !t.family.readMembers(0) || !t.isCommandAlive() {
		return false
	}
	main, others := t.family.cpuTimes()
	t.main.most, t.others.most = main, others
	t.mainBase, t.othersBase = main, others
	t.takeSample(at)
	return true
}

// Alive reports whether the process given to Join still runs.
func (t *Tracker) Alive() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	stat, err := proc.Of(t.o.Proc, t.family.main).Stat()
	return err == nil && t.family.members[t.family.main].isSameProcess(&stat) && !stat.Dead()
}

func (t *Tracker) isCommandAlive() bool {
	m := t.family.members[t.family.main]
	return m != nil && !m.Dead() && m.PID != os.Getpid()
}

// keepSample keeps the last sample.
func (t *Tracker) keepSample(at time.Time) {
	main, descendants, combined := t.family.sumMemory()
	p := &t.now
	p.At, p.Main, p.Descendants, p.Combined = at, main.Total, descendants.Total, combined.Total
	p.MainThreads, p.DescendantsThreads = t.family.countThreads()
	p.GPU, p.GPUPercent = t.gpus.now, t.gpus.percent
	for _, tag := range t.book.Active(at) {
		tag.RAM(p.Combined)
	}
}

// noteHost keeps the last sample of the host.
func (t *Tracker) noteHost(now *metric.Values) {
	if percent, known := now.Get(metric.CPU); known {
		t.now.SystemCPU = percent * float64(t.cores)
	}
	t.now.System, _ = now.Get(metric.HostMemoryUsed)
}
