package ui

import "github.com/nvnodetop/nvnodetop/internal/cluster"

// tail is the newest n samples of a history and where they begin among n places: a young GPU has fewer.
func tail(history []float32, n int) (values []float32, from int) {
	values = history[max(len(history)-n, 0):]
	return values, n - len(values)
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
	for _, g := range gpus {
		values, from := tail(g.Util, n)
		for i, v := range values {
			switch {
			case v != v: // a gap
				continue
			case counts[from+i] == 0:
				s[from+i] = v
			default:
				s[from+i] += v
			}
			counts[from+i]++
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
	for _, g := range gpus {
		values, from := tail(g.Util, n)
		low := s[from:]
		for i, v := range values {
			if v < low[i] { // false for a gap
				low[i] = v
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
	for _, g := range gpus {
		values, from := tail(g.Util, n)
		for i, v := range values {
			if v == v {
				percents[from+i][min(max(int(v), 0), 100)]++
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

// amount is the newest n samples of a sum over GPUs: of what a history has, times what it is a share of.
func (f *frame) amount(gpus []*cluster.GPU, n int, history func(*cluster.GPU) (samples []float32, times float32)) []float32 {
	s := f.series(n)
	for _, g := range gpus {
		samples, times := history(g)
		values, from := tail(samples, n)
		sums := s[from:]
		for i, v := range values {
			switch {
			case v != v: // a gap
			case sums[i] != sums[i]:
				sums[i] = v * times
			default:
				sums[i] += v * times
			}
		}
	}
	return s
}

// hottest is the newest n samples of the temperature of the GPU that is the hottest at each time.
func (f *frame) hottest(gpus []*cluster.GPU, n int) []float32 {
	s := f.series(n)
	for _, g := range gpus {
		values, from := tail(g.Temp, n)
		high := s[from:]
		for i, v := range values {
			if v > high[i] || high[i] != high[i] {
				high[i] = v
			}
		}
	}
	return s
}
