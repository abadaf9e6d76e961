// Package trend computes from the histories of GPUs the samples that outputs show over time: of one GPU, and sums,
// means, extremes and medians over several. It never counts an unreported sample as 0.
//
// Samples end at the Edge, the newest bin of all reporting GPUs. A Past keeps the samples of a job from Snapshot to
// Snapshot; everything else is a function of its arguments.
package trend

import (
	"iter"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// edgeLag is how many bins a GPU may be behind the others, since reports do not come all at once.
const edgeLag = 2

// Edge returns the newest bin that all reporting GPUs have: the right edge of their series.
func Edge(gpus ...*cluster.GPU) int64 { return edgeBin(endsOf(gpus)) }

func edgeBin(all []binRange) int64 {
	var newest int64
	for i := range all {
		newest = max(newest, all[i].newest)
	}
	oldest := newest
	for i := range all {
		if bin := all[i].newest; bin >= newest-edgeLag {
			oldest = min(oldest, bin)
		}
	}
	return oldest
}

// Oldest returns the oldest bin of any of the GPUs.
func Oldest(gpus ...*cluster.GPU) int64 { return oldestBin(endsOf(gpus)) }

func oldestBin(all []binRange) int64 {
	oldest := edgeBin(all)
	for i := range all {
		if all[i].some {
			oldest = min(oldest, all[i].oldest)
		}
	}
	return oldest
}

// binRange has the numbers of the newest and the oldest bin of a history.
type binRange struct {
	newest, oldest int64
	some           bool // it has bins
}

func endsOf(gpus []*cluster.GPU) []binRange {
	all := make([]binRange, len(gpus))
	for i, g := range gpus {
		all[i] = endOf(g)
	}
	return all
}

func endOf(g *cluster.GPU) (e binRange) {
	e.newest, e.some = g.History.Newest()
	e.oldest, _ = g.History.Oldest()
	return e
}

// Last returns the newest n samples of a metric of one GPU.
func Last(g *cluster.GPU, id metric.ID, n int) []float32 { return g.History.Tail(nil, id, Edge(g), n) }

// Samples says which samples of GPUs are meant: a sum over a metric, or one of the others.
type Samples struct {
	ID      metric.ID
	Sum     metric.Sum
	Reasons uint64 // not 0: whether one of the GPUs had one of these throttle reasons
	Median  bool   // of the utilization
}

// Of are the newest n samples of GPUs.
func (of Samples) Of(gpus []*cluster.GPU, n int) []float32 {
	now := 0
	if of.areSums() {
		now = countReporting(gpus, of.ID)
	}
	return of.samplesIn(&window{gpus: gpus, newest: Edge(gpus...), n: n}, now)
}

// areSums reports whether each sample is a sum over GPUs.
func (of Samples) areSums() bool { return of.Sum == metric.Add && !of.Median && of.Reasons == 0 }

// samplesIn returns the samples of a window. now is how many GPUs report the metric now, for a sum.
func (of Samples) samplesIn(w *window, now int) []float32 {
	switch {
	case of.Median:
		return w.medianSeries()
	case of.Reasons != 0:
		return w.throttleSeries(of.Reasons)
	case of.areSums():
		return w.sumSeries(of.ID, now)
	}
	return w.metricSeries(of.ID, of.Sum)
}

// window is n bins of GPUs, up to the newest.
type window struct {
	gpus   []*cluster.GPU
	newest int64
	n      int
	past   *Past // keeps the samples; nil: they are read from the histories
}

// eachTail yields the samples of each GPU, each valid until the next.
func (w *window) eachTail(id metric.ID) iter.Seq[[]float32] {
	if w.past != nil {
		return w.past.eachRow(id, w.n)
	}
	all := make([]*history.History, len(w.gpus))
	for i, g := range w.gpus {
		all[i] = &g.History
	}
	return history.Tails(all, id, w.newest, w.n)
}

// Of returns the newest n samples of a metric over GPUs: their sum, mean, lowest or highest. A sample without any
// GPU is a gap.
func Of(gpus []*cluster.GPU, id metric.ID, sum metric.Sum, n int) []float32 {
	return Samples{ID: id, Sum: sum}.Of(gpus, n)
}

// countReporting returns how many GPUs have a metric now.
func countReporting(gpus []*cluster.GPU, id metric.ID) (n int) {
	for _, g := range gpus {
		if _, known := g.Get(id); known {
			n++
		}
	}
	return n
}

func (w *window) metricSeries(id metric.ID, sum metric.Sum) []float32 {
	samples, counts := make([]float32, w.n), make([]uint16, w.n)
	if sum != metric.Mean {
		fillGaps(samples)
	}
	for bins := range w.eachTail(id) { // millions of samples: nothing here calls a function
		switch sum {
		case metric.Lowest:
			for i, v := range bins {
				if v == v && !(v >= samples[i]) {
					samples[i] = v
				}
			}
		case metric.Highest:
			for i, v := range bins {
				if v == v && !(v <= samples[i]) {
					samples[i] = v
				}
			}
		default:
			for i, v := range bins {
				if v == v {
					samples[i] += v
					counts[i]++
				}
			}
		}
	}
	for i, c := range counts {
		switch {
		case sum != metric.Mean:
		case c == 0:
			samples[i] = history.Gap
		default:
			samples[i] /= float32(c)
		}
	}
	return samples
}

// fillGaps makes all samples gaps.
func fillGaps(samples []float32) {
	for i := range samples {
		samples[i] = history.Gap
	}
}

// sumSeries returns the sums of a metric over GPUs. now is how many of them report it now. A bin that lacks one of
// these is a gap: unknown must not look like less. A GPU that misses a bin or two gets its last sample there, since
// reports do not come all at once.
func (w *window) sumSeries(id metric.ID, now int) []float32 {
	samples, counts, seen := make([]float32, w.n), make([]int, w.n), make([]bool, w.n)
	for bins := range w.eachTail(id) {
		last, missing := history.Gap, 0
		for i, v := range bins {
			if v == v {
				last, missing, seen[i] = v, 0, true
			} else if missing++; missing > edgeLag {
				last = history.Gap
			}
			if last == last {
				samples[i] += last
				counts[i]++
			}
		}
	}
	for i := range samples {
		if !seen[i] || counts[i] < now {
			samples[i] = history.Gap
		}
	}
	return samples
}

// Throttled returns, for the newest n samples, whether one of the GPUs had one of these throttle reasons: 1 or 0, or a
// gap if no GPU had a sample.
func Throttled(gpus []*cluster.GPU, reasons uint64, n int) []float32 {
	return Samples{Reasons: reasons}.Of(gpus, n)
}

func (w *window) throttleSeries(reasons uint64) []float32 {
	samples := make([]float32, w.n)
	fillGaps(samples)
	for bins := range w.eachTail(metric.Throttle) {
		for i, v := range bins {
			switch {
			case v != v:
			case uint64(v)&reasons != 0:
				samples[i] = 1
			case samples[i] != 1:
				samples[i] = 0
			}
		}
	}
	return samples
}

// percents counts GPUs by their utilization in whole percents, since there may be thousands of GPUs. The last element
// counts all of them.
type percents [102]uint16

func (p *percents) addPercent(percent float32) {
	if percent == percent { // known
		p[min(uint32(percent), 100)]++
		p[101]++
	}
}

// medianPercent returns the median, or a gap if nothing was counted.
func (p *percents) medianPercent() float32 {
	below := 0
	for v, n := range p[:101] {
		if below += int(n); p[101] > 0 && below*2 >= int(p[101]) {
			return float32(v)
		}
	}
	return history.Gap
}

func (w *window) medianSeries() []float32 {
	counts := make([]percents, w.n)
	for bins := range w.eachTail(metric.Util) {
		for i, v := range bins {
			counts[i].addPercent(v)
		}
	}
	samples := make([]float32, w.n)
	for i := range samples {
		samples[i] = counts[i].medianPercent()
	}
	return samples
}

// MedianNow returns the median utilization of GPUs in their last reports, NaN if none reports it.
func MedianNow(gpus []*cluster.GPU) float64 {
	values := make([]float64, len(gpus))
	for i, g := range gpus {
		values[i] = g.Float(metric.Util)
	}
	return Middle(values)
}

// Middle returns the median of percentages, as MedianNow computes it; unknown ones do not count.
func Middle(values []float64) float64 {
	var counts percents
	for _, v := range values {
		counts.addPercent(float32(v))
	}
	return float64(counts.medianPercent())
}
