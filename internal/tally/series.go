package tally

import (
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

// Last is the newest n samples of a number of one GPU.
func (m *Scratch) Last(g *cluster.GPU, id metric.ID, n int) []float32 {
	return m.tail(g, id, Edge(g), n)
}

// tail is the n bins of a GPU's history that end at the edge.
func (m *Scratch) tail(g *cluster.GPU, id metric.ID, edge int64, n int) []float32 {
	m.bins = g.History.Tail(m.bins, id, edge, n)
	return m.bins
}

// series is n samples, all gaps.
func (m *Scratch) series(n int) []float32 {
	if cap(m.samples) < n {
		m.samples = make([]float32, n)
	}
	s := m.samples[:n]
	for i := range s {
		s[i] = cluster.Gap
	}
	return s
}

// Mean is the newest n samples of the mean utilisation of GPUs; a sample that none of them has is a gap.
func (m *Scratch) Mean(gpus []*cluster.GPU, n int) []float32 {
	s := m.series(n)
	if cap(m.counts) < n {
		m.counts = make([]uint16, n)
	}
	counts := m.counts[:n]
	clear(counts)
	end := Edge(gpus...)
	for _, g := range gpus {
		for i, v := range m.tail(g, metric.Util, end, n) {
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

// Lowest is like Mean but takes the minimum over the GPUs.
func (m *Scratch) Lowest(gpus []*cluster.GPU, n int) []float32 {
	s := m.series(n)
	const none = 101
	for i := range s {
		s[i] = none
	}
	end := Edge(gpus...)
	for _, g := range gpus {
		for i, v := range m.tail(g, metric.Util, end, n) {
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

// Median is like Mean but takes the median over the GPUs. It counts whole percents, as there may be thousands of GPUs.
func (m *Scratch) Median(gpus []*cluster.GPU, n int) []float32 {
	s := m.series(n)
	if cap(m.percents) < n {
		m.percents = make([][101]uint16, n)
	}
	percents := m.percents[:n]
	clear(percents)
	end := Edge(gpus...)
	for _, g := range gpus {
		for i, v := range m.tail(g, metric.Util, end, n) {
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

// Amount is the newest n samples of a sum over GPUs.
func (m *Scratch) Amount(gpus []*cluster.GPU, id metric.ID, n int) []float32 {
	s := m.series(n)
	end := Edge(gpus...)
	for _, g := range gpus {
		for i, v := range m.tail(g, id, end, n) {
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

// Hottest is the newest n samples of the highest temperature over the GPUs.
func (m *Scratch) Hottest(gpus []*cluster.GPU, n int) []float32 {
	s := m.series(n)
	end := Edge(gpus...)
	for _, g := range gpus {
		for i, v := range m.tail(g, metric.Temperature, end, n) {
			if v > s[i] || s[i] != s[i] {
				s[i] = v
			}
		}
	}
	return s
}
