package host

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// cpuTime is the time that all CPUs together have spent, in ticks.
type cpuTime struct {
	at          time.Duration // CLOCK_MONOTONIC
	busy, total uint64
}

// modes are the times of all CPUs together in the first line of /proc/stat, in ticks: user nice system idle iowait irq
// softirq steal.
type modes [8]uint64

func (r *Reader) readCPU(to *metric.Values, at time.Duration) error {
	head, err := r.readProcHead("stat")
	if err != nil {
		return err
	}
	of, err := parseCPU(head)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(r.proc, "stat"), err)
	}
	r.rare.cpu = of
	busy, total := of.busyAndTotal()
	first := r.last.total == 0
	if !first && at-r.last.at < MinWindow {
		to.Set(metric.CPU, r.percent)
		return nil
	}
	r.percent = math.NaN()
	// The sums may decrease when a CPU goes offline.
	if !first && total > r.last.total && busy >= r.last.busy {
		r.percent = min(100*float64(busy-r.last.busy)/float64(total-r.last.total), 100)
	}
	r.last = cpuTime{at: at, busy: busy, total: total}
	to.Set(metric.CPU, r.percent)
	return nil
}

// parseCPU reads the first line of /proc/stat. It ignores the last fields, the time of guests, which user and nice
// include.
func parseCPU(head []byte) (of modes, err error) {
	line, _, whole := bytes.Cut(head, []byte("\n"))
	i := 0
	for field := range bytes.FieldsSeq(line) {
		switch {
		case i == 0 && string(field) != "cpu":
			return modes{}, fmt.Errorf("unexpected first line %.40q", line)
		case i > 0:
			if of[i-1], err = strconv.ParseUint(string(field), 10, 64); err != nil {
				return modes{}, fmt.Errorf("unexpected first line %.40q", line)
			}
		}
		if i++; i > len(of) {
			break
		}
	}
	if !whole || i < 5 {
		return modes{}, fmt.Errorf("unexpected first line %.40q", line)
	}
	return of, nil
}

// busyAndTotal returns the busy time and the total time. Waiting for a disk counts as idle.
func (of *modes) busyAndTotal() (busy, total uint64) {
	for _, ticks := range of {
		total += ticks
	}
	return total - of[3] - of[4], total
}

func (r *Reader) readLoad(to *metric.Values) error {
	head, err := r.readProcHead("loadavg")
	if err != nil {
		return err
	}
	ids := [...]metric.ID{metric.Load, metric.Load5, metric.Load15}
	i := 0
	for word := range bytes.FieldsSeq(head) {
		load, err := strconv.ParseFloat(string(word), 64)
		if err != nil {
			return r.contentError("loadavg", head)
		}
		to.Set(ids[i], load)
		if i++; i == len(ids) {
			return nil
		}
	}
	return r.contentError("loadavg", head)
}

func (r *Reader) readMemory(to *metric.Values) error {
	head, err := r.readProcHead("meminfo")
	if err != nil {
		return err
	}
	total, ok1 := findMeminfo(head, "MemTotal:")
	available, ok2 := findMeminfo(head, "MemAvailable:")
	if !ok1 || !ok2 || available > total {
		return fmt.Errorf("%s: MemTotal or MemAvailable missing", filepath.Join(r.proc, "meminfo"))
	}
	for _, m := range rareMemory {
		if bytes, ok := findMeminfo(head, m.key); r.rare.due && ok {
			r.rare.values.Set(m.ID, float64(bytes))
		}
	}
	to.Set(metric.HostMemoryUsed, float64(total-available))
	to.Set(metric.HostMemoryTotal, float64(total))
	swap, ok1 := findMeminfo(head, "SwapTotal:")
	free, ok2 := findMeminfo(head, "SwapFree:")
	if ok1 && ok2 && free <= swap {
		to.Set(metric.SwapUsed, float64(swap-free))
		to.Set(metric.SwapTotal, float64(swap))
	}
	return nil
}

// findMeminfo finds a line such as "MemTotal:  16318428 kB", and returns the amount in bytes.
func findMeminfo(head []byte, key string) (uint64, bool) {
	for line := range bytes.Lines(head) {
		rest, found := bytes.CutPrefix(line, []byte(key))
		if !found {
			continue
		}
		number, unit, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
		kib, err := strconv.ParseUint(string(number), 10, 54)
		return kib << 10, err == nil && string(unit) == "kB"
	}
	return 0, false
}
