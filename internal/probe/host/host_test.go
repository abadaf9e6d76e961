package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

func TestHost(t *testing.T) {
	proc := writeProc(t)
	h := New(proc, t.TempDir())
	defer h.Close()
	var first metric.Values
	for _, err := range []error{h.readCPU(&first, time.Second), h.readMemory(&first), h.readLoad(&first)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if first.Has(metric.CPU) {
		t.Errorf("CPU is %v%% before there are two reports, want none", first.Float(metric.CPU))
	}
	if want := metric.Make(map[metric.ID]float64{metric.HostMemoryUsed: 4000000 << 10,
		metric.HostMemoryTotal: 16318428 << 10, metric.Load: 3.25, metric.Load5: 2.5, metric.Load15: 1,
		metric.SwapUsed: 1 << 20, metric.SwapTotal: 4 << 20}); first != want {
		t.Errorf("got %v, want %v", first, want)
	}

	// 100 ticks more: 30 busy, 50 idle, 20 that wait for a disk. The file stays open, as in /proc.
	overwrite(t, filepath.Join(proc, "stat"), "cpu  1020 20 305 8050 620 7 70 8 500 0\n")
	var second, third metric.Values
	if err := h.readCPU(&second, 4*time.Second); err != nil {
		t.Fatal(err)
	}
	if second.Float(metric.CPU) != 30 {
		t.Errorf("CPU %v, want 30", second)
	}

	overwrite(t, filepath.Join(proc, "stat"), "cpu  1021 20 305 8050 620 7 70 8 500 0\n")
	if err := h.readCPU(&third, 4*time.Second+MinWindow/2); err != nil {
		t.Fatal(err)
	}
	if third.Float(metric.CPU) != 30 {
		t.Errorf("CPU %v a moment later, want the percentage before", third)
	}
}

// Values that always change and are rarely needed are read rarely and repeated in between.
func TestRareMetrics(t *testing.T) {
	proc := writeProc(t)
	h := New(proc, t.TempDir())
	defer h.Close()
	read := func(at time.Duration) (got metric.Values) {
		if err := h.Read(&got, at, 0); err != nil {
			t.Fatal(err)
		}
		return got
	}
	want := map[metric.ID]float64{metric.CPUUserTime: 10.2, metric.CPUSystemTime: 3.77, metric.CPUIdleTime: 80,
		metric.CPUIOWaitTime: 6, metric.HostMemoryBuffers: 5 << 10, metric.HostMemoryCached: 600 << 10,
		metric.HostMemoryShared: 70 << 10, metric.HostMemorySlab: 80 << 10}
	check := func(got metric.Values) {
		t.Helper()
		for id, x := range want {
			if v, known := got.Get(id); !known || v != x {
				t.Errorf("%v is %v (known: %v), want %v", id, v, known, x)
			}
		}
	}
	check(read(time.Second))
	overwrite(t, filepath.Join(proc, "stat"), "cpu  2000 20 300 8000 600 7 70 3 500 0\n")
	overwrite(t, filepath.Join(proc, "meminfo"), strings.Replace(procMem, "Slab: 80", "Slab: 99", 1))
	check(read(metric.SlowSeconds * time.Second))
	want[metric.CPUUserTime], want[metric.HostMemorySlab] = 20.2, 99<<10
	check(read((1 + metric.SlowSeconds) * time.Second))
}

func TestHostCPUGoesBack(t *testing.T) {
	proc := writeProc(t)
	h := New(proc, t.TempDir())
	defer h.Close()
	var host metric.Values
	if err := h.readCPU(&host, 0); err != nil {
		t.Fatal(err)
	}
	overwrite(t, filepath.Join(proc, "stat"), "cpu  500 10 150 4000 300 3 35 1 250 0\n")
	if err := h.readCPU(&host, time.Second); err != nil || host.Has(metric.CPU) {
		t.Errorf("after a CPU went offline: %v, %v; want no percentage", host, err)
	}
}

const (
	procStat = "cpu  1000 20 300 8000 600 7 70 3 500 0\ncpu0 500 10 150 4000 300 3 35 1 250 0\ncpu1 500 10 150 4000 " +
		"300 4 35 2 250 0\nintr 9 9\n"
	procMem = "MemTotal:       16318428 kB\nMemFree:         1000000 kB\nMemAvailable:   12318428 kB\nBuffers: 5 kB\n" +
		"Cached: 600 kB\nSwapCached: 9 kB\nShmem: 70 kB\nSlab: 80 kB\nSwapTotal: " +
		"4096 kB\nSwapFree: 3072 kB\n"
)

// writeProc makes a small /proc.
func writeProc(t testing.TB) string {
	return write(t, map[string]string{"stat": procStat, "meminfo": procMem, "loadavg": "3.25 2.5 1.00 2/345 6789\n"})
}

// write writes files by path, and returns where they are.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// overwrite changes a file in place: its length and inode stay, so that an open descriptor sees the new content.
func overwrite(t *testing.T, path, content string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := f.WriteString(content); err != nil {
		t.Fatal(err)
	}
}

func TestParseCPU(t *testing.T) {
	for _, tc := range []struct {
		head        string
		busy, total uint64
		ok          bool
	}{
		{procStat, 1400, 10000, true},
		{"cpu 1 2 3 4\n", 6, 10, true}, // of a very old kernel
		{"cpu  1 2 3 4 5 6 7 8 9 10", 0, 0, false},
		{"cpu0 1 2 3 4\n", 0, 0, false},
		{"cpu 1 2 x 4\n", 0, 0, false},
		{"cpu -1 2 3 4\n", 0, 0, false},
		{"", 0, 0, false},
	} {
		of, err := parseCPU([]byte(tc.head))
		busy, total := of.busyAndTotal()
		if busy != tc.busy || total != tc.total || (err == nil) != tc.ok {
			t.Errorf("parseCPU(%.30q) = %d, %d, %v", tc.head, busy, total, err)
		}
	}
}

func FuzzParseCPU(f *testing.F) {
	f.Add([]byte(procStat))
	f.Fuzz(func(t *testing.T, head []byte) {
		if _, err := parseCPU(head); err != nil && !strings.Contains(err.Error(), "first line") {
			t.Errorf("%q: error %v does not say where", head, err)
		}
	})
}

func TestMeminfo(t *testing.T) {
	for _, tc := range []struct {
		head string
		want uint64
		ok   bool
	}{
		{procMem, 12318428 << 10, true},
		{"MemTotal: 1 kB\n", 0, false},
		{"MemAvailable: x kB\n", 0, false},
		{"MemAvailable: 99999999999999999999 kB\n", 0, false},
		{"MemAvailable:\n", 0, false},
	} {
		got, ok := findMeminfo([]byte(tc.head), "MemAvailable:")
		if ok != tc.ok || (ok && got != tc.want) {
			t.Errorf("meminfo(%q) = %d, %v", tc.head, got, ok)
		}
	}
}

// The needed parts of the real files are within their first bytes.
func TestRealHost(t *testing.T) {
	if _, err := os.Stat("/proc/meminfo"); err != nil {
		t.Skip("needs /proc of Linux")
	}
	h := New("/proc", "/sys")
	defer h.Close()
	var host metric.Values
	if err := h.Read(&host, time.Second, time.Minute); err != nil {
		t.Error(err)
	}
	for _, id := range []metric.ID{metric.SwapUsed, metric.Load15, metric.DiskFree, metric.TmpTotal, metric.Uptime} {
		if !host.Has(id) {
			t.Errorf("no %s", id)
		}
	}
	if total := host.Float(metric.HostMemoryTotal); !(total >= 16<<20 && host.Float(metric.HostMemoryUsed) <= total) {
		t.Errorf("memory: %v", host)
	}
}
