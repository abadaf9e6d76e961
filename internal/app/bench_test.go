package app

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/cost"
)

// BenchmarkLargeJSON measures the cost of one document of 1,024 nodes with 8 GPUs each: go test ./internal/app -run -
// -bench LargeJSON -benchtime 3x
func BenchmarkLargeJSON(b *testing.B) {
	before := cost.CPU(b)
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
	b.ReportMetric((cost.CPU(b)-before).Seconds()/float64(b.N), "cpu-s/op")
}
