package probe

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// minWindow is the shortest window for a CPU percentage, since the kernel counts in steps of 10 ms. A report off the beat that comes sooner
// repeats the last percentage.
const minWindow = 200 * time.Millisecond

// headSize is enough for the part of each file that is read.
const headSize = 512

// hostReader reads the node's load. It keeps three files open, reads their heads and parses them itself: procfs's Stat parses every CPU
// and every interrupt (40 µs on 2 CPUs, more with more CPUs, and 23 µs for Meminfo). That is a hundred times the cost of the two lines
// that are needed, in every report.
type hostReader struct {
	proc  string              // where procfs is mounted
	files map[string]*os.File // by name; each read from the beginning returns new content

	last    cpuTime // at the beginning of the window
	percent float64 // NaN: unknown
	buf     [headSize]byte
}

// cpuTime is the time that all CPUs together have spent, in ticks.
type cpuTime struct {
	at          time.Duration // Moment.Mono
	busy, total uint64
}

func newHostReader(proc string) *hostReader {
	return &hostReader{proc: proc, files: map[string]*os.File{}}
}

func (h *hostReader) close() {
	for name, f := range h.files {
		_ = f.Close() // opened for reading: no data can be lost
		delete(h.files, name)
	}
}

// collectHost reads CPU, load, memory and uptime.
func (s *sampler) collectHost(sm *sample) {
	if err := errors.Join(
		s.host.readCPU(&sm.Host, sm.at.Mono),
		s.host.readMemory(&sm.Host),
		s.host.readLoad(&sm.Host),
	); err != nil {
		sm.fault("host", err)
	}
	if sm.at.Boot > 0 {
		sm.Host.Set(metric.Uptime, math.Floor(sm.at.Boot.Seconds()))
	}
}

func (h *hostReader) readCPU(to *wire.Host, at time.Duration) error {
	head, err := h.head("stat")
	if err != nil {
		return err
	}
	busy, total, err := parseCPU(head)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(h.proc, "stat"), err)
	}
	first := h.last.total == 0
	if !first && at-h.last.at < minWindow {
		to.Set(metric.CPU, h.percent)
		return nil
	}
	h.percent = math.NaN()
	// The sums may decrease when a CPU goes offline.
	if !first && total > h.last.total && busy >= h.last.busy {
		h.percent = min(100*float64(busy-h.last.busy)/float64(total-h.last.total), 100)
	}
	h.last = cpuTime{at: at, busy: busy, total: total}
	to.Set(metric.CPU, h.percent)
	return nil
}

// parseCPU reads the first line of /proc/stat: user nice system idle iowait irq softirq steal. The fields after these are the time of
// guests, which user and nice include. A CPU that waits for a disk is idle.
func parseCPU(head []byte) (busy, total uint64, err error) {
	line, _, whole := bytes.Cut(head, []byte("\n"))
	fields := bytes.Fields(line)
	if !whole || len(fields) < 5 || string(fields[0]) != "cpu" {
		return 0, 0, fmt.Errorf("unexpected first line %.40q", line)
	}
	for i, field := range fields[1:min(len(fields), 9)] {
		n, err := strconv.ParseUint(string(field), 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("unexpected first line %.40q", line)
		}
		total += n
		if i != 3 && i != 4 {
			busy += n
		}
	}
	return busy, total, nil
}

func (h *hostReader) readMemory(to *wire.Host) error {
	head, err := h.head("meminfo")
	if err != nil {
		return err
	}
	total, ok1 := meminfo(head, "MemTotal:")
	available, ok2 := meminfo(head, "MemAvailable:")
	if !ok1 || !ok2 || available > total {
		return fmt.Errorf("%s: MemTotal or MemAvailable missing", filepath.Join(h.proc, "meminfo"))
	}
	to.Set(metric.HostMemoryUsed, float64(total-available))
	to.Set(metric.HostMemoryTotal, float64(total))
	return nil
}

// meminfo finds a line like "MemTotal:  16318428 kB", in bytes.
func meminfo(head []byte, key string) (uint64, bool) {
	for line := range bytes.Lines(head) {
		rest, found := bytes.CutPrefix(line, []byte(key))
		if !found {
			continue
		}
		fields := bytes.Fields(rest)
		if len(fields) != 2 {
			return 0, false
		}
		kib, err := strconv.ParseUint(string(fields[0]), 10, 54)
		return kib << 10, err == nil
	}
	return 0, false
}

func (h *hostReader) readLoad(to *wire.Host) error {
	head, err := h.head("loadavg")
	if err != nil {
		return err
	}
	word, _, _ := bytes.Cut(head, []byte(" "))
	load, err := strconv.ParseFloat(string(word), 64)
	if err != nil {
		return fmt.Errorf("%s: unexpected %.40q", filepath.Join(h.proc, "loadavg"), head)
	}
	to.Set(metric.Load, load)
	return nil
}

// head reads the beginning of a file.
func (h *hostReader) head(name string) ([]byte, error) {
	f := h.files[name]
	if f == nil {
		var err error
		if f, err = os.Open(filepath.Join(h.proc, name)); err != nil {
			return nil, err
		}
		h.files[name] = f
	}
	n, err := readHead(f, h.buf[:])
	if err != nil {
		h.close() // the next report opens them again
		return nil, err
	}
	return h.buf[:n], nil
}

// describeHost fills in the fields of a Hello about the node.
func describeHost(h *wire.Hello, proc string) {
	h.Version = wire.Version
	h.PID = os.Getpid()
	h.Kernel = kernel()
	if name, err := os.Hostname(); err == nil {
		h.Host = name
	}
	// One line per CPU, after that of the sum. Unlike sched_getaffinity(2), the probe's own cgroup does not limit it.
	if stat, err := os.ReadFile(filepath.Join(proc, "stat")); err == nil {
		h.CPUs = bytes.Count(stat, []byte("\ncpu"))
	}
	if cgroup, err := os.ReadFile(filepath.Join(proc, "self", "cgroup")); err == nil {
		h.Job = slurmJob(string(cgroup))
	}
}
