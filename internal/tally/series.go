package tally

import (
	"iter"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// edgeLag is by how many bins a GPU's newest may be behind others', so that all have a number there: reports do not come all at once.
const edgeLag = 2

// Edge is the newest bin that all of the GPUs have whose reports come: the right edge of their series.
func Edge(gpus ...*cluster.GPU) int64 {
	var newest int64
	for _, g := range gpus {
		bin, _ := g.History.Newest()
		newest = max(newest, bin)
	}
	oldest := newest
	for _, g := range gpus {
		if bin, _ := g.History.Newest(); bin >= newest-edgeLag {
			oldest = min(oldest, bin)
		}
	}
	return oldest
}

// Last is the newest n samples of a number of one GPU.
func Last(g *cluster.GPU, id metric.ID, n int) []float32 { return g.History.Tail(nil, id, Edge(g), n) }

// tails gives the newest n samples of each GPU, up to the edge of all. What it gives is valid until it gives the next.
func tails(gpus []*cluster.GPU, id metric.ID, n int) iter.Seq[[]float32] {
	edge := Edge(gpus...)
	return func(yield func([]float32) bool) {
		var bins []float32
		for _, g := range gpus {
			bins = g.History.Tail(bins, id, edge, n)
			if !yield(bins) {
				return
			}
		}
	}
}

// Series is the newest n samples of a number over GPUs: their sum, mean, lowest or highest. A sample that none of them has is a gap.
func Series(gpus []*cluster.GPU, id metric.ID, sum metric.Sum, n int) []float32 {
	samples, counts := make([]float32, n), make([]uint16, n)
	for bins := range tails(gpus, id, n) {
		for i, v := range bins {
			if v == v { // no gap
				samples[i] = join(sum, samples[i], v, counts[i] == 0)
				counts[i]++
			}
		}
	}
	for i, c := range counts {
		switch {
		case c == 0:
			samples[i] = cluster.Gap
		case sum == metric.Mean:
			samples[i] /= float32(c)
		}
	}
	return samples
}

// Median is the newest n samples of the median utilisation of GPUs. It counts whole percents, as there may be thousands of GPUs.
func Median(gpus []*cluster.GPU, n int) []float32 {
	samples, percents := make([]float32, n), make([][101]uint16, n)
	for bins := range tails(gpus, metric.Util, n) {
		for i, v := range bins {
			if v == v { // no gap
				percents[i][min(max(int(v), 0), 100)]++
			}
		}
	}
	for i := range percents {
		samples[i] = middle(&percents[i])
	}
	return samples
}

// MedianNow is the median utilisation of GPUs in their last reports, NaN when none gives it.
func MedianNow(gpus []*cluster.GPU) float64 {
	var percents [101]uint16
	for _, g := range gpus {
		if v, known := g.Get(metric.Util); known {
			percents[int(v)]++
		}
	}
	return float64(middle(&percents))
}

// middle is the median of counted percents, a gap when nothing was counted.
func middle(counts *[101]uint16) float32 {
	all := 0
	for _, c := range counts {
		all += int(c)
	}
	below := 0
	for v, c := range counts {
		if below += int(c); all > 0 && below*2 >= all {
			return float32(v)
		}
	}
	return cluster.Gap
}
