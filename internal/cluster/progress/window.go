package progress

import (
	"math"
	"math/cmplx"
	"time"
)

// window is the past of a GPU in which a period is searched. Few have one, so now and clock wait for a period of mean.
// The next window takes over its memory.
type window struct {
	mean, now, clock series
	of               *PowerPast
	from             int // its first sample
}

const (
	// The mean power varies by at least leastSwing, and this share of its samples is known.
	leastSwing, leastKnown = 0.08, 0.8

	// clearPeak is the least autocorrelation of a period, also in each part of the past. The period is measured over up
	// to lasting periods.
	clearPeak, lasting = 0.5, 4

	// A peak up to the share leastMultiple of the period that is nearly as high means that it is a multiple of another.
	leastMultiple, nearlyAsHigh = 0.75, 0.3

	// mostBelow is the largest share of the variance that is slower than the period: there is a longer pattern.
	mostBelow, below = 0.03, 0.8

	// parts of the past have the same period, up to the share samePeriod.
	parts, samePeriod = 4, 0.04
)

// openOn makes w the past of a GPU, from a sample on.
func (w *window) openOn(g *PowerPast, from int) {
	w.of, w.from = g, from
	w.mean.setSamples(g.Mean[from:])
}

// findPeriod returns the period in intervals; 0: it is not clear.
func (w *window) findPeriod(interval time.Duration) float64 {
	if x := &w.mean; !(x.swing >= leastSwing*x.level) || x.knownShare() < leastKnown {
		return 0
	}
	longest := len(w.mean.v) / periods
	r := w.mean.autocorrelate(lasting * (longest + 1))
	for lag := shortest; lag <= longest; lag++ {
		if r[lag] < r[lag-1] || r[lag] < r[lag+1] {
			continue
		}
		p, height := peakAt(r, lag)
		if height < clearPeak || p < shortest || p > float64(len(w.mean.v))/periods {
			continue
		}
		p = refinePeriod(r, p, lasting)
		if w.mean.slowShare(p) <= mostBelow && w.mean.hasInParts(p) && w.isConfirmed(p, interval) {
			return p
		}
	}
	return 0
}

// isConfirmed reports whether the samples and the clocks agree with the period of the means.
func (w *window) isConfirmed(p float64, interval time.Duration) bool {
	w.now.setSamples(w.of.Now[w.from:])
	w.clock.setSamples(w.of.Clock[w.from:])
	return w.isShownByMeans(p, interval) && w.isLevelBetween() && !w.isThermal()
}

// isMultiple reports whether the period is several shorter ones: a peak before it is nearly as high.
func isMultiple(r []float64, p, height float64) bool {
	for lag := 2; float64(lag) < leastMultiple*p && lag+1 < len(r); lag++ {
		if r[lag] >= r[lag-1] && r[lag] >= r[lag+1] {
			if _, other := peakAt(r, lag); other > height-nearlyAsHigh {
				return true
			}
		}
	}
	return false
}

// hasInParts reports whether each part of the past has this period.
func (s *series) hasInParts(p float64) bool {
	for k := range parts {
		part := s.partAt(k)
		r := part.autocorrelate(int(3*(p+1)) + 2)
		at, height := highestNear(r, p, 1)
		if height < clearPeak || isMultiple(r, at, height) || math.Abs(refinePeriod(r, at, 3)/p-1) > samePeriod {
			return false
		}
	}
	return true
}

const (
	// Means show at least this share of the period of a step that samples show, at the same time. leastPart is the
	// least share of the variance that the period itself has.
	leastAlike, leastPart = 0.65, 0.08

	// A sample is a mean over a second at most, and of an instant at least.
	sampled = time.Second / 2
)

// isShownByMeans reports whether the means of intervals show the period as the samples do. If they do not, it belongs
// to something shorter than two intervals.
func (w *window) isShownByMeans(p float64, interval time.Duration) bool {
	var both complex128
	var ofMean, ofNow float64
	for k := range parts {
		mean, now := w.mean.partAt(k).phasorOf(p), w.now.partAt(k).phasorOf(p)
		both += mean * cmplx.Conj(now)
		ofMean, ofNow = ofMean+real(mean*cmplx.Conj(mean)), ofNow+real(now*cmplx.Conj(now))
	}
	n := float64(len(w.mean.v))
	if 2*parts*ofMean/(n*n) < leastPart*w.mean.swing*w.mean.swing {
		return false
	}
	between := math.Pi * (1 - sampled.Seconds()/interval.Seconds()) / p // the middles of a mean and a sample
	share := both / complex(ofNow, 0) * cmplx.Rect(1, between)
	return real(share) >= leastAlike
}

const (
	// level is the largest change, as a share of the swing, of power that stays level. It does so in leastLevel of the
	// samples, which then are off by at most mostOff of the variance.
	level, leastLevel, mostOff = 0.25, 0.1, 0.04
)

// isLevelBetween reports whether samples are equal to the means beside them where these are equal. If they are not, the
// power has a shorter rhythm too, whose steps may be the real ones.
func (w *window) isLevelBetween() bool {
	off, n := 0.0, 0.0
	for i, before := range w.mean.v[:len(w.mean.v)-1] {
		after := w.mean.v[i+1]
		if d := w.now.v[i] - (before+after)/2; d == d && math.Abs(after-before) <= level*w.mean.swing {
			off, n = off+d*d, n+1
		}
	}
	return n >= leastLevel*float64(len(w.mean.v)) && off <= mostOff*n*w.mean.swing*w.mean.swing
}

const (
	// Clocks that vary by at least leastClock follow the power from this correlation on.
	leastClock, follows = 0.01, 0.3
)

// isThermal reports whether the clock goes up and down with the power, or is unknown. At a power limit it goes down
// when the work takes more.
func (w *window) isThermal() bool {
	if w.clock.swing < leastClock*w.clock.level {
		return false
	}
	sum, n := 0.0, 0.0
	for i, v := range w.mean.v {
		if both := v * w.clock.v[i]; both == both {
			sum, n = sum+both, n+1
		}
	}
	return !(sum/n < follows*w.mean.swing*w.clock.swing)
}
