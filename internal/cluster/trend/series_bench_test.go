package trend

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// BenchmarkSeries adds up 10 minutes of 8,000 GPUs, as the graphs of a job do once for each Snapshot.
func BenchmarkSeries(b *testing.B) {
	const bins, length = 200, 240
	gpus := make([]*cluster.GPU, 8000)
	for i := range gpus {
		gpus[i] = &cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}}
		for bin := range int64(bins + 20) {
			at := float64(int64(i)*7+bin*13) / 3
			gpus[i].History.Add(bin, length, func(id metric.ID) float64 {
				return map[metric.ID]float64{metric.Util: float64(int(at) % 101), metric.Power: 500 + at/100,
					metric.Temperature: 60 + float64(int(at)%20), metric.Throttle: float64(int(at) % 3)}[id]
			})
		}
	}
	for _, bench := range []struct {
		name string
		do   func()
	}{
		{"lowest", func() { Of(gpus, metric.Util, metric.Lowest, bins) }},
		{"highest", func() { Of(gpus, metric.Temperature, metric.Highest, bins) }},
		{"added", func() { Of(gpus, metric.Power, metric.Add, bins) }},
		{"median", func() { Samples{Median: true}.Of(gpus, bins) }},
		{"throttled", func() { Throttled(gpus, thermal, bins) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				bench.do()
			}
		})
	}
}
