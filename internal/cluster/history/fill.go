package history

import (
	"time"
)

// A FillTrend predicts when memory will be full, from its past alone.
//
// Most memory that grows does not fill up: allocators keep what the longest batch needed, caches fill and stop, epochs
// and evaluations free what they took. A forecast is made only if the memory has grown for half an hour, evenly, in
// both the lowest and the highest use of each part of that time. A leak in a cycle is growth of the cycle's floor.

// MemoryPast is the use of memory of the last half hour, in bins of time. A copy never changes when samples are added
// to the original. The zero Past has no samples.
type MemoryPast struct {
	bins   []fillBin // finished ones, oldest first; only ever appended to
	open   fillBin   // the newest
	at     int64     // its number since the epoch
	before float32   // the peak before the bins
}

// fillBin is the lowest and the highest use within a time, in bytes.
type fillBin struct{ low, high float32 }

const (
	fillWidth = 2 * time.Minute
	keptBins  = 15
)

// Add adds a sample. After a bin without a sample the past starts again: unknown growth counts as no growth.
func (p MemoryPast) Add(at time.Time, used float64) MemoryPast {
	v, number := float32(used), at.UnixNano()/int64(fillWidth)
	switch {
	case v != v:
		return p
	case p.at == 0, number < p.at, number > p.at+1:
		return MemoryPast{open: fillBin{v, v}, at: number, before: max(p.before, p.highestUse())}
	case number == p.at:
		p.open = fillBin{min(p.open.low, v), max(p.open.high, v)}
		return p
	}
	if len(p.bins) == keptBins {
		p.before, p.bins = max(p.before, p.bins[0].high), p.bins[1:]
	}
	p.bins = append(p.bins, p.open)
	p.open, p.at = fillBin{v, v}, number
	return p
}

// highestUse returns the highest use in the bins.
func (p *MemoryPast) highestUse() float32 {
	high := p.open.high
	for _, b := range p.bins {
		high = max(high, b.high)
	}
	return high
}

// Known reports whether there are samples.
func (p *MemoryPast) Known() bool { return p.at != 0 }

// Peak returns the highest use since the first sample, in bytes.
func (p *MemoryPast) Peak() float64 { return float64(max(p.highestUse(), p.before)) }

// FillTrend is a growth that fills memory.
type FillTrend struct {
	PerMinute float64       // bytes
	Full      time.Duration // the time until the memory is full at this pace
}

// A forecast needs all of these.
const (
	// fillsSoon is the longest forecast: as long as the past that is kept.
	fillsSoon = keptBins * fillWidth

	// mostlyFull is the share of the limit below which growth is no concern.
	mostlyFull = 0.8

	// mostGrowth is the largest share of the present use that may be growth within the past: a program that starts
	// fills its memory from nothing.
	mostGrowth = 0.45

	// slowestFill and fastest limit the growth of a part, as multiples of the mean growth.
	slowestFill, fastestGrowth = 0.6, 1.6

	// bendOf limits how much faster or slower the mean may grow in the second half of the past: a warm-up slows down.
	bendOf = 1.15
)

// Trend predicts when the memory will reach its limit, in bytes; false if there is no sign that it will.
func (p *MemoryPast) Trend(limit float64) (FillTrend, bool) {
	now := float64(p.open.high)
	if len(p.bins) < keptBins || !(limit > 0) || now < mostlyFull*limit || !p.mayFill(limit) ||
		p.before >= p.highestUse() {
		return FillTrend{}, false
	}
	var t FillTrend
	for _, size := range sizes {
		growth, even := p.growthOfParts(size)
		if !even {
			return FillTrend{}, false
		}
		t.PerMinute = growth / (float64(size) * fillWidth.Minutes())
	}
	if !p.growsSteadily() || t.PerMinute*fillsSoon.Minutes() > mostGrowth*now {
		return FillTrend{}, false
	}
	t.Full = UntilFull(max(now, float64(p.bins[keptBins-1].high)), limit, t.PerMinute/time.Minute.Seconds())
	return t, t.Full <= fillsSoon
}

// mayFill reports whether the memory would be full soon at twice its pace. It is cheap: most memory does not grow, and
// rules ask with each report.
func (p *MemoryPast) mayFill(limit float64) bool {
	now, then := float64(p.open.high), float64(p.bins[0].low)
	return now > then && limit-now <= 2*(now-then)
}

// UntilFull returns the time until memory reaches its limit if it grows by perSecond bytes a second.
func UntilFull(used, limit, perSecond float64) time.Duration {
	return time.Duration(max(limit-used, 0) / perSecond * float64(time.Second))
}

// sizes are the numbers of bins of the parts that are compared. A part has to be longer than a cycle of the job;
// smaller parts reveal growth that began late or has ended.
var sizes = [...]int{2, 3}

// growthOfParts returns the mean growth from one part of size bins to the next: the lower of the growth of the floor
// and of the peak. It reports whether floors and peaks grow in each part, evenly.
func (p *MemoryPast) growthOfParts(size int) (growth float64, even bool) {
	bins := p.bins[keptBins%size:]
	var floors, peaks []float64
	for i := 0; i < len(bins); i += size {
		low, high := float64(bins[i].low), float64(bins[i].high)
		for _, b := range bins[i+1 : i+size] {
			low, high = min(low, float64(b.low)), max(high, float64(b.high))
		}
		floors, peaks = append(floors, low), append(peaks, high)
	}
	low, lowEven := meanGrowth(floors)
	high, highEven := meanGrowth(peaks)
	return min(low, high), lowEven && highEven && min(low, high) >= slowestFill*max(low, high)
}

// meanGrowth returns the mean growth of values, and whether each grows about as much.
func meanGrowth(values []float64) (mean float64, even bool) {
	n := len(values) - 1
	if mean = (values[n] - values[0]) / float64(n); mean <= 0 {
		return mean, false
	}
	for i := range n {
		if grown := values[i+1] - values[i]; grown < slowestFill*mean || grown > fastestGrowth*mean {
			return mean, false
		}
	}
	return mean, true
}

// growsSteadily reports whether the mean grows as much in the second half of the past as in the first.
func (p *MemoryPast) growsSteadily() bool {
	var sums [3]float64
	for i, b := range p.bins {
		sums[i*3/keptBins] += float64(b.low) + float64(b.high)
	}
	first, second := sums[1]-sums[0], sums[2]-sums[1]
	return second > 0 && second <= bendOf*first && first <= bendOf*second
}
