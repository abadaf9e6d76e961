package progress

import (
	"math"
	"slices"
	"time"
)

// Point is what a log said at a time.
type Point struct {
	At             time.Time
	SecondsPerStep float32   // NaN: unknown
	Loss           float32   // likewise
	Slower         time.Time // since when the steps take longer; zero: they do not
}

// Past is what a log said over time, at most once in each bin. It is replaced, never changed.
type Past []Point

// AddPoint returns the past with what is known at a time. Of one bin it keeps the last point, and none that is older
// than the time to keep. A silent log says nothing.
func (p Past) AddPoint(at time.Time, of *Progress, silent bool, bin, keep time.Duration) Past {
	point := Point{At: at, SecondsPerStep: valueOf(of.SecondsPerStep, silent), Loss: valueOf(of.Loss, silent)}
	if of.Slower != nil && !silent {
		point.Slower = of.Slower.Since
	}
	from := 0
	for from < len(p) && at.Sub(p[from].At) > keep {
		from++
	}
	past := slices.Clone(p[from:])
	if n := len(past); n > 0 && past[n-1].At.UnixNano()/int64(bin) == at.UnixNano()/int64(bin) {
		past = past[:n-1]
	}
	return append(past, point)
}

func valueOf(v *float64, silent bool) float32 {
	if v == nil || silent {
		return float32(math.NaN())
	}
	return float32(*v)
}

// Last returns the newest n values up to the bin with a number. A value holds until the log says another one.
func (p Past) Last(newest int64, bin time.Duration, n int, value func(*Point) float32) []float32 {
	values, next := make([]float32, n), 0
	now := float32(math.NaN())
	for i := range values {
		for next < len(p) && p[next].At.UnixNano()/int64(bin) <= newest-int64(n-1-i) {
			now = value(&p[next])
			next++
		}
		values[i] = now
	}
	return values
}

// Changes are the times at which the steps became slower.
func (p Past) Changes() (at []time.Time) {
	for i := range p {
		if since := p[i].Slower; !since.IsZero() && !slices.ContainsFunc(at, since.Equal) {
			at = append(at, since)
		}
	}
	return at
}
