package ui

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// edgeLag is by how many bins a GPU's newest may be behind others', so that all have a number there: reports do not come all at once.
const edgeLag = 2

// edge is the newest bin that all of the GPUs have whose reports come: the right edge of their series.
func edge(gpus ...*cluster.GPU) int64 {
	var newest, oldest int64
	for _, g := range gpus {
		bin, _ := g.History.Newest()
		newest = max(newest, bin)
	}
	oldest = newest
	for _, g := range gpus {
		if bin, _ := g.History.Newest(); bin >= newest-edgeLag {
			oldest = min(oldest, bin)
		}
	}
	return oldest
}

// tail is the n bins of a GPU's history that end at the edge. The result is scratch.
func (f *frame) tail(g *cluster.GPU, id metric.ID, edge int64, n int) []float32 {
	f.bins = g.History.Tail(f.bins, id, edge, n)
	return f.bins
}

// series is scratch for n samples, all gaps.
func (f *frame) series(n int) []float32 {
	if cap(f.samples) < n {
		f.samples = make([]float32, n)
	}
	s := f.samples[:n]
	for i := range s {
		s[i] = cluster.Gap
	}
	return s
}

// mean is the newest n samples of the mean utilisation of GPUs; a sample that none of them has is a gap. The result is scratch.
func (f *frame) mean(gpus []*cluster.GPU, n int) []float32 {
	s := f.series(n)
	if cap(f.counts) < n {
		f.counts = make([]uint16, n)
	}
	counts := f.counts[:n]
	clear(counts)
	end := edge(gpus...)
	for _, g := range gpus {
		for i, v := range f.tail(g, metric.Util, end, n) {
			switch {
			case v != v: // a gap
				continue
			case counts[i] == 0:
				s[i] = v
			default:
				s[i] += v
			}
			counts[i]++
		}
	}
	for i, c := range counts {
		if c > 1 {
			s[i] /= float32(c)
		}
	}
	return s
}

// lowest is mean's like for the GPU that does the least.
func (f *frame) lowest(gpus []*cluster.GPU, n int) []float32 {
	s := f.series(n)
	const none = 101
	for i := range s {
		s[i] = none
	}
	end := edge(gpus...)
	for _, g := range gpus {
		for i, v := range f.tail(g, metric.Util, end, n) {
			if v < s[i] { // false for a gap
				s[i] = v
			}
		}
	}
	for i, v := range s {
		if v == none {
			s[i] = cluster.Gap
		}
	}
	return s
}

// median is mean's like for the GPU in the middle. It counts whole percents, as there may be thousands of GPUs.
func (f *frame) median(gpus []*cluster.GPU, n int) []float32 {
	s := f.series(n)
	if cap(f.percents) < n {
		f.percents = make([][101]uint16, n)
	}
	percents := f.percents[:n]
	clear(percents)
	end := edge(gpus...)
	for _, g := range gpus {
		for i, v := range f.tail(g, metric.Util, end, n) {
			if v == v {
				percents[i][min(max(int(v), 0), 100)]++
			}
		}
	}
	for i := range percents {
		if v := middle(&percents[i]); v >= 0 {
			s[i] = float32(v)
		}
	}
	return s
}

// middle is the median of counted percents, -1 when nothing was counted.
func middle(counts *[101]uint16) int {
	all := 0
	for _, c := range counts {
		all += int(c)
	}
	below := 0
	for v, c := range counts {
		if below += int(c); all > 0 && below*2 >= all {
			return v
		}
	}
	return -1
}

// amount is the newest n samples of a sum over GPUs.
func (f *frame) amount(gpus []*cluster.GPU, id metric.ID, n int) []float32 {
	s := f.series(n)
	end := edge(gpus...)
	for _, g := range gpus {
		for i, v := range f.tail(g, id, end, n) {
			switch {
			case v != v: // a gap
			case s[i] != s[i]:
				s[i] = v
			default:
				s[i] += v
			}
		}
	}
	return s
}

// hottest is the newest n samples of the temperature of the GPU that is the hottest at each time.
func (f *frame) hottest(gpus []*cluster.GPU, n int) []float32 {
	s := f.series(n)
	end := edge(gpus...)
	for _, g := range gpus {
		for i, v := range f.tail(g, metric.Temperature, end, n) {
			if v > s[i] || s[i] != s[i] {
				s[i] = v
			}
		}
	}
	return s
}
