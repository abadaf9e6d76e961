package history

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// A job may have thousands of GPUs: a full history must be small, and a metric that the GPUs do not have free.
func BenchmarkHistory(b *testing.B) {
	lacks := map[string][]metric.ID{
		"all": nil, "without-links": {metric.PCIeTX, metric.PCIeRX, metric.NVLinkTX, metric.NVLinkRX},
	}
	for name, without := range lacks {
		b.Run(name, func(b *testing.B) {
			values := metric.Values{}
			for i, id := range metric.Kept {
				values.Set(id, float64(i+1))
			}
			for _, id := range without {
				values.Set(id, math.NaN())
			}
			const gpus = 100
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			all := make([]History, gpus)
			for g := range all {
				for bin := range int64(Len(3*time.Second, 0)) * 3 {
					all[g].AddGPU(bin+int64(g), Len(3*time.Second, 0), values.Float, 500)
				}
			}
			runtime.GC()
			runtime.ReadMemStats(&after)
			h := all[0]
			bin, _ := h.Newest()
			b.ReportAllocs()
			for b.Loop() {
				bin++
				h.AddGPU(bin, Len(3*time.Second, 0), values.Float, 500)
			}
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/gpus, "bytes/GPU")
			runtime.KeepAlive(all)
		})
	}
}
