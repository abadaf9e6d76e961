package tally

import (
	"iter"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// Scratch is the memory that series are worked out in. The zero value is ready; a series is valid until the next one is asked for.
type Scratch struct {
	samples  []float32
	bins     []float32 // of one GPU
	counts   []uint16
	percents [][101]uint16
}

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
func (m *Scratch) Last(g *cluster.GPU, id metric.ID, n int) []float32 {
	m.bins = g.History.Tail(m.bins, id, Edge(g), n)
	return m.bins
}

// tails gives the newest n samples of each GPU, up to the edge of all.
func (m *Scratch) tails(gpus []*cluster.GPU, id metric.ID, n int) iter.Seq[[]float32] {
	edge := Edge(gpus...)
	return func(yield func([]float32) bool) {
		for _, g := range gpus {
			m.bins = g.History.Tail(m.bins, id, edge, n)
			if !yield(m.bins) {
				return
			}
		}
	}
}

// zeros is a slice of n zeros, in the memory of s where that is long enough.
func zeros[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// Series is the newest n samples of a number over GPUs: their sum, mean, lowest or highest. A sample that none of them has is a gap.
func (m *Scratch) Series(gpus []*cluster.GPU, id metric.ID, sum metric.Sum, n int) []float32 {
	samples, counts := zeros(m.samples, n), zeros(m.counts, n)
	m.samples, m.counts = samples, counts
	for bins := range m.tails(gpus, id, n) {
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
func (m *Scratch) Median(gpus []*cluster.GPU, n int) []float32 {
	m.samples, m.percents = zeros(m.samples, n), zeros(m.percents, n)
	for bins := range m.tails(gpus, metric.Util, n) {
		for i, v := range bins {
			if v == v { // no gap
				m.percents[i][min(max(int(v), 0), 100)]++
			}
		}
	}
	for i := range m.percents {
		m.samples[i] = middle(&m.percents[i])
	}
	return m.samples
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
