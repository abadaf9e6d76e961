package procs

import (
	"os"
	"strings"
	"testing"

	"github.com/prometheus/procfs"

	"github.com/nvnodetop/nvnodetop/internal/probe/fakeproc"
	"github.com/nvnodetop/nvnodetop/internal/probe/launch"
)

// The parser gives the same numbers as procfs.
func TestStatBesideProcfs(t *testing.T) {
	const numbers = " 4 5 6 7 8 9 10 11 12 13 100 200 16 17 18 19 3 0 4242 5000 77 18446744073709551615 1 1 0 0 0 0 " +
		"0 0 0 0 0 0 17 3 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
	mount := fakeproc.Write(t, map[string]string{
		"1/stat": "1 (init) S 0" + strings.Replace(numbers, " 4", "", 1), "2/stat": "2 (a) b (c)) R 1" +
			strings.Replace(numbers, " 4", "", 1),
		"3/stat": "3 () Z 1" + strings.Replace(numbers, " 4", "", 1),
	})
	if real, err := procfs.NewFS("/proc"); err == nil {
		compareStats(t, "/proc", real, os.Getpid())
	}
	fake, err := procfs.NewFS(mount)
	if err != nil {
		t.Fatal(err)
	}
	for pid := 1; pid <= 3; pid++ {
		compareStats(t, mount, fake, pid)
	}
}

func compareStats(t *testing.T, mount string, fs procfs.FS, pid int) {
	t.Helper()
	got, ok := New(mount, launch.NewJobs(mount)).readStat(pid)
	p, err := fs.Proc(pid)
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.Stat()
	if err != nil || !ok {
		t.Fatalf("PID %d: %v, read: %v", pid, err, ok)
	}
	if string(got.comm) != want.Comm || got.state != want.State || got.parent != want.PPID ||
		got.threads != want.NumThreads || got.start != want.Starttime {
		t.Errorf("PID %d: %+v %q, want %+v", pid, got, got.comm, want)
	}
	// the numbers of this process grow
	if mount != "/proc" && (got.ticks != uint64(want.UTime)+uint64(want.STime) || got.rss != uint64(want.RSS)) {
		t.Errorf("PID %d: %+v, want %+v", pid, got, want)
	}
}

func TestBrokenStat(t *testing.T) {
	const whole = "7 (x) S 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
	if s, ok := parseStat([]byte(whole + " -5 1")); !ok || s.rss != 0 {
		t.Errorf("%+v %v", s, ok)
	}
	for _, text := range []string{"", "7", "7 (x", "7 )x(", "7 (x)", "7 (x) S", whole[:30], whole, whole + " many",
		strings.Replace(whole, "S 1", "S one", 1)} {
		if s, ok := parseStat([]byte(text)); ok {
			t.Errorf("%q is %+v", text, s)
		}
	}
}

func BenchmarkStat(b *testing.B) {
	b.Run("here", func(b *testing.B) {
		table := New("/proc", launch.NewJobs("/proc"))
		for b.Loop() {
			table.readStat(os.Getpid())
		}
	})
	b.Run("procfs", func(b *testing.B) {
		fs, err := procfs.NewFS("/proc")
		if err != nil {
			b.Skip(err)
		}
		for b.Loop() {
			p, _ := fs.Proc(os.Getpid())
			_, _ = p.Stat()
		}
	})
}
