package progress

import (
	"math"
	"math/cmplx"
)

// series is samples without their mean. NaN is unknown.
type series struct {
	v            []float64
	level, swing float64 // the mean, and the standard deviation
}

// setSamples makes s a series of these samples, in its own memory.
func (s *series) setSamples(samples []float32) {
	s.v = s.v[:0]
	for _, v := range samples {
		s.v = append(s.v, float64(v))
	}
	s.subtractMean()
}

func (s *series) subtractMean() {
	sum, squares, n := 0.0, 0.0, 0.0
	for _, v := range s.v {
		if v == v {
			sum, n = sum+v, n+1
		}
	}
	s.level = sum / n
	for i := range s.v {
		if s.v[i] -= s.level; s.v[i] == s.v[i] {
			squares += s.v[i] * s.v[i]
		}
	}
	s.swing = math.Sqrt(squares / n)
}

// partAt returns a part of the samples, the oldest first.
func (s *series) partAt(k int) *series {
	n := len(s.v) / parts
	from := len(s.v) - (parts-k)*n
	to := &series{v: append([]float64(nil), s.v[from:from+n]...)}
	to.subtractMean()
	return to
}

func (s *series) knownShare() float64 {
	n := 0
	for _, v := range s.v {
		if v == v {
			n++
		}
	}
	return float64(n) / float64(len(s.v))
}

// autocorrelate returns how alike the samples and those before them are, from 0 intervals before to lags.
func (s *series) autocorrelate(lags int) []float64 {
	r := make([]float64, min(lags+1, len(s.v)-1))
	for lag := range r {
		sum, n := 0.0, 0.0
		for i, v := range s.v[lag:] {
			if both := v * s.v[i]; both == both {
				sum, n = sum+both, n+1
			}
		}
		r[lag] = sum / n / (s.swing * s.swing)
	}
	return r
}

// phasorOf is how strong a period is, and its phase.
func (s *series) phasorOf(period float64) (sum complex128) {
	direction, turn := complex128(1), cmplx.Rect(1, -2*math.Pi/period)
	for _, v := range s.v {
		if v == v {
			sum += complex(v*real(direction), v*imag(direction))
		}
		direction *= turn // far cheaper than a sine and a cosine of each sample
	}
	return sum
}

// slowShare is the share of the variance with a longer period.
func (s *series) slowShare(period float64) float64 {
	n := float64(len(s.v))
	sum := 0.0
	for times := 1.0; times < below*n/period; times++ {
		of := s.phasorOf(n / times)
		sum += 2 * (real(of)*real(of) + imag(of)*imag(of)) / (n * n)
	}
	return sum / (s.swing * s.swing)
}

// peakAt returns the place and the height of a peak between lags.
func peakAt(r []float64, lag int) (at, height float64) {
	if lag == 0 || lag+1 >= len(r) {
		return float64(lag), r[lag]
	}
	bend, slope := (r[lag-1]+r[lag+1])/2-r[lag], (r[lag+1]-r[lag-1])/2
	shift := -slope / (2 * bend)
	if bend >= 0 || math.Abs(shift) > 1 {
		return float64(lag), r[lag]
	}
	return float64(lag) + shift, r[lag] - slope*slope/(4*bend)
}

// highestNear returns the place and the height of the highest peak near a place.
func highestNear(r []float64, at, within float64) (place, height float64) {
	best := -1
	for lag := max(int(math.Ceil(at-within)), 1); float64(lag) <= at+within && lag < len(r); lag++ {
		if best < 0 || r[lag] > r[best] {
			best = lag
		}
	}
	if best < 0 {
		return 0, math.Inf(-1)
	}
	return peakAt(r, best)
}

// refinePeriod returns the period as measured over several periods.
func refinePeriod(r []float64, period float64, times int) float64 {
	for n := 2; n <= times; n++ {
		at, height := highestNear(r, float64(n)*period, 1)
		if height < clearPeak {
			break
		}
		period = at / float64(n)
	}
	return period
}
