package trend

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Medians returns n samples, up to a bin, of the median over GPUs. A GPU's sample is the sum of these metrics. A bin
// with fewer than half of the GPUs is a gap.
func Medians(gpus []*cluster.GPU, ids []metric.ID, newest int64, n int) []float32 {
	w := &window{gpus: gpus, newest: newest, n: n}
	sums := make([]float32, len(gpus)*n)
	for _, id := range ids {
		at := 0
		for bins := range w.eachTail(id) {
			for i, v := range bins {
				sums[i*len(gpus)+at] += v
			}
			at++
		}
	}
	medians := make([]float32, n)
	for i := range medians {
		bin := slices.DeleteFunc(sums[i*len(gpus):(i+1)*len(gpus)], func(v float32) bool { return v != v })
		medians[i] = history.Gap
		if 2*len(bin) >= len(gpus) {
			slices.Sort(bin)
			medians[i] = bin[len(bin)/2]
		}
	}
	return medians
}
