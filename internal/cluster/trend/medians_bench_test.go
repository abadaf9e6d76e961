package trend

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// The medians of a chart are made once for each Snapshot.
func BenchmarkMedians(b *testing.B) {
	var gpus []*cluster.GPU
	for i := range 32 {
		g := &cluster.GPU{}
		for bin := range int64(240) {
			g.History.Add(bin, 240, func(metric.ID) float64 { return float64((i*7919 + int(bin)*31) % 100) })
		}
		gpus = append(gpus, g)
	}
	for b.Loop() {
		Medians(gpus, []metric.ID{metric.Util}, 239, 220)
	}
}
