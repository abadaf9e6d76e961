package app

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
)

// BenchmarkLargeJSON measures the cost of one document of 1,024 nodes with 8 GPUs each: go test ./internal/app -run -
// -bench LargeJSON -benchtime 3x
func BenchmarkLargeJSON(b *testing.B) {
	before := cpuTime(b)
	for b.Loop() {
		out, err := os.Create(filepath.Join(b.TempDir(), "out"))
		if err != nil {
			b.Fatal(err)
		}
		// a node refuses the login
		if code := Main([]string{"--json", "--demo=1024x8"}, out, out, io.Discard); code != cli.ExitFailed {
			b.Errorf("exit code %d", code)
		}
		out.Close()
	}
	b.ReportMetric((cpuTime(b)-before).Seconds()/float64(b.N), "cpu-s/op")
}

// cpuTime is the time that this process has spent on all CPUs.
func cpuTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(unix.TimevalToNsec(u.Utime) + unix.TimevalToNsec(u.Stime))
}
