package inspect

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
)

// processPast is the samples of a process, in bins of time like those of a history.History.
type processPast struct {
	width  time.Duration // time of a bin
	newest int64
	bins   [][]float32 // of each chart, up to the newest, all of the same length
}

// span is the time for which samples are kept: the longest time that graphs show.
const span = 10 * time.Minute

// least is the least number of bins kept, since graphs of wide bins show more than span.
const least = 60

// addSample adds the sample of a list that arrived at a time. A sample fills the time since the previous one, unless
// that is longer than two intervals between reports.
func (p *processPast) addSample(poll, interval time.Duration, at time.Time, values []float64) {
	anew := processPast{width: history.BinWidth(poll, 0), bins: make([][]float32, len(values))}
	width := anew.width
	if width != p.width {
		*p = anew
	}
	bin := at.UnixNano() / int64(width)
	skipped := bin - p.newest
	switch {
	case len(p.bins[0]) == 0:
		skipped = 1
	case skipped < 0: // the clock was set back
		*p = anew
		skipped = 1
	}
	p.newest = bin
	keep := max(int(span/width), least) + 1
	missed := min(skipped, int64(keep)) // number of bins to add, including that of the sample
	hold := int64(2*interval/width) + 1
	for i := range p.bins {
		for k := missed; k > 0; k-- {
			v := history.Gap
			if skipped <= hold {
				v = float32(values[i])
			}
			p.bins[i] = append(p.bins[i], v)
		}
		last := len(p.bins[i]) - 1
		p.bins[i][last] = float32(values[i])
		p.bins[i] = p.bins[i][max(last+1-keep, 0):]
	}
}

// hasOneBin reports whether there is exactly one bin.
func (p *processPast) hasOneBin() bool { return len(p.bins[0]) == 1 }

// prependSamples puts samples before the first bin, for some of the charts. All have the same length.
func (p *processPast) prependSamples(samples map[int][]float32) {
	first := 0 // the first bin with a value
	for _, values := range samples {
		first = len(values)
	}
	for _, values := range samples {
		first = min(first, max(slices.IndexFunc(values, func(v float32) bool { return v == v }), 0))
	}
	for i := range p.bins {
		values := samples[i]
		if values == nil {
			for _, other := range samples {
				values = slices.Repeat([]float32{history.Gap}, len(other))
			}
		}
		p.bins[i] = append(slices.Clone(values[min(first, len(values)):]), p.bins[i]...)
	}
}

func (p *processPast) oldestBin() int64 { return p.newest - int64(len(p.bins[0])) + 1 }

// chartSamples returns the newest n samples of a chart.
func (p *processPast) chartSamples(g int) func(n int) []float32 {
	return func(n int) []float32 {
		have := p.bins[g]
		values := make([]float32, n)
		for i := range values {
			values[i] = history.Gap
			if at := len(have) - n + i; at >= 0 {
				values[i] = have[at]
			}
		}
		return values
	}
}

// hasValue reports whether a chart has ever had a value.
func (p *processPast) hasValue(g int) bool {
	for _, v := range p.bins[g] {
		if v == v {
			return true
		}
	}
	return false
}
