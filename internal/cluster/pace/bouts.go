package pace

import (
	"slices"
	"time"
)

// Bouts are the recent times in which a GPU lagged. They are replaced, never changed.
type Bouts struct {
	Own, Median Numbers   // of the GPU and of the others, at the worst moment of the last bout
	of          []lagSpan // oldest first
	first       time.Time
	times       int       // number of bouts from since on
	caught      time.Time // when it had caught up with the others after the last one; zero: it has not
}

type lagSpan struct{ from, to time.Time }

const (
	// fewBouts is the smallest number that shows a rhythm; manyBouts are kept.
	fewBouts, manyBouts = 5, 12

	// nextBout is the time without a lag after which another bout begins. nextSamples is the same in intervals.
	nextBout, nextSamples = 6 * time.Second, 2

	// SeesBouts is the longest time between two samples that still shows bouts of 20 s or more, and the time between
	// bouts.
	SeesBouts = 10 * time.Second

	// rarest is the longest median time from one bout to the next. Each time must be between these shares of the
	// median: one bout in between may have been missed.
	rarest           = 3 * time.Minute
	earliest, latest = 0.6, 2.3

	// caughtUp is the share of the others' values at which a bout is over. Without such a margin, a GPU that is just
	// far enough behind would begin a bout again and again.
	caughtUp = 0.9
)

// Rhythm is how a GPU lags again and again.
type Rhythm struct {
	Since       time.Time
	Lasts, Each time.Duration // how long it lags each time, and how far apart the times are
	Times       int
	Coarse      bool // there are too few samples to tell how long it lags
}

// Bout notes that the GPU lags now, while the others go on. step is the time between two comparisons.
func (g *GPU) Bout(at time.Time, step time.Duration, own, median Numbers) {
	b := &Bouts{Own: own, Median: median}
	if g.Bouts != nil {
		b.first, b.times = g.Bouts.first, g.Bouts.times
		b.of = slices.Clone(g.Bouts.of[max(len(g.Bouts.of)-manyBouts+1, 0):])
	}
	if n := len(b.of); n > 0 && (g.Bouts.caught.IsZero() || at.Sub(b.of[n-1].to) <= max(nextBout, nextSamples*step)) {
		if b.of[n-1].to = at; worstShare(g.Bouts.Own, g.Bouts.Median) < worstShare(own, median) {
			b.Own, b.Median = g.Bouts.Own, g.Bouts.Median
		}
	} else {
		if n == 0 || at.Sub(b.of[n-1].to) > 2*rarest {
			b.first, b.times = at, 0
		}
		b.of, b.times = append(b.of, lagSpan{at, at}), b.times+1
	}
	g.Bouts = b
}

// catchUp notes which GPUs have caught up with the others after a bout.
func (g *Group) catchUp(at time.Time) {
	for _, gpu := range g.GPUs {
		if b := gpu.Bouts; b != nil && b.caught.IsZero() && g.Works && !gpu.IsBehind(g, caughtUp) {
			over := *b
			over.caught = at
			gpu.Bouts = &over
		}
	}
}

// worstShare is the lower share of the others' utilization and clock.
func worstShare(own, median Numbers) float32 {
	return min(own[Util]/median[Util], own[Clock]/median[Clock])
}

// Lately is the number of bouts that began within a time.
func (b *Bouts) Lately(at time.Time, within time.Duration) (n int) {
	for _, o := range b.of {
		if at.Sub(o.from) <= within {
			n++
		}
	}
	return n
}

// Rhythm returns how the GPU lags again and again, as of a comparison; false if it does not, or no longer.
func (b *Bouts) Rhythm(at time.Time, step time.Duration) (Rhythm, bool) {
	n := len(b.of)
	if n < fewBouts {
		return Rhythm{}, false
	}
	var each, lasts []time.Duration
	for i := n - fewBouts; i < n; i++ {
		if lasts = append(lasts, b.of[i].to.Sub(b.of[i].from)+step); i > n-fewBouts {
			each = append(each, b.of[i].from.Sub(b.of[i-1].from))
		}
	}
	slices.Sort(each)
	slices.Sort(lasts)
	r := Rhythm{Since: b.first, Each: each[len(each)/2], Lasts: lasts[len(lasts)/2], Times: b.times}
	share := func(d time.Duration) float64 { return d.Seconds() / r.Each.Seconds() }
	if r.Each > rarest || share(each[0]) < earliest || share(each[len(each)-1]) > latest ||
		share(at.Sub(b.of[n-1].from)) > latest {
		return Rhythm{}, false
	}
	r.Coarse = r.Lasts < 3*step
	return r, true
}
