package progress

import (
	"math"
	"math/cmplx"
	"slices"
	"time"
)

// PowerPast is the past of a GPU, one number for each interval, oldest first. NaN is unknown.
type PowerPast struct {
	Mean  []float32 // its mean power in the interval, from its energy counter
	Now   []float32 // its power at the end of the interval
	Clock []float32 // of its SMs
}

const (
	// finest is the shortest interval that is used: the driver's power may be a mean over a second.
	finest = 2 * time.Second

	// A step takes at least shortest intervals, and was seen for this many periods.
	shortest, periods = 4, 20

	// most of the GPUs must agree, up to the share alike, and no fewer than fewest: one that is alone proves nothing.
	most, alike, fewest = 0.6, 0.03, 2

	// inStep is the least mean of the directions, of length 1, in which the phases of GPUs go on.
	inStep = 0.9
)

// StepTime returns the time of a training step by the power of a job's GPUs, for jobs whose log does not say it; 0: it
// is not clear. The samples of all GPUs line up, and end with the newest.
//
// A GPU takes more power while it computes than while it exchanges gradients, so its power repeats with each step. What
// is known are samples, so the step must take several intervals. Samples of a shorter step can show a rhythm that does
// not exist. Two things tell it apart: its mean power, from the energy counter, hardly changes, since a mean over an
// interval blurs what is shorter; and samples differ from the mean even where that stays level.
//
// A wrong number is worse than none. The rhythm must be there in all parts of the last 20 periods, most GPUs must have
// it, and in step. Longer patterns must be absent. Clocks that go up and down with the power are a GPU that is too hot.
// What remains is a program whose cycle has several short steps that power does not show.
func StepTime(gpus []PowerPast, interval time.Duration) time.Duration {
	for interval < finest {
		gpus, interval = inPairs(gpus), 2*interval
	}
	found := make([]float64, len(gpus))
	var w window
	for i := range gpus {
		found[i] = gpus[i].findPeriod(&w, interval)
	}
	some := slices.DeleteFunc(slices.Sorted(slices.Values(found)), func(p float64) bool { return p == 0 })
	if len(some) == 0 {
		return 0
	}
	middle := some[len(some)/2]
	var agree []PowerPast
	for i, p := range found {
		if math.Abs(p/middle-1) <= alike {
			agree = append(agree, gpus[i])
		}
	}
	if len(agree) < max(fewest, int(math.Ceil(most*float64(len(gpus))))) || !areInStep(agree, middle) {
		return 0
	}
	return time.Duration(middle * float64(interval))
}

// inPairs makes one interval of two.
func inPairs(gpus []PowerPast) []PowerPast {
	to := make([]PowerPast, len(gpus))
	for i := range gpus {
		g := &gpus[i]
		for k := len(g.Mean) % 2; k < len(g.Mean); k += 2 {
			to[i].Mean = append(to[i].Mean, (g.Mean[k]+g.Mean[k+1])/2)
			to[i].Now, to[i].Clock = append(to[i].Now, g.Now[k+1]), append(to[i].Clock, g.Clock[k+1])
		}
	}
	return to
}

// areInStep reports whether the phases of the GPUs change alike, from part to part.
func areInStep(gpus []PowerPast, period float64) bool {
	var together [parts]complex128
	var mean series
	for i := range gpus {
		all := len(gpus[i].Mean)
		mean.setSamples(gpus[i].Mean[all-min(int((periods+1)*period), all):])
		before := complex128(0)
		for k := range parts {
			now := mean.partAt(k).phasorOf(period)
			if turn := now * cmplx.Conj(before); turn != 0 {
				together[k] += turn / complex(cmplx.Abs(turn)*float64(len(gpus)), 0)
			}
			before = now
		}
	}
	return !slices.ContainsFunc(together[1:], func(sum complex128) bool { return !(cmplx.Abs(sum) >= inStep) })
}

// findPeriod returns the period of the GPU's power, in intervals; 0: it is not clear. The shortest past that has enough
// periods decides. Each past is a window in w.
func (g *PowerPast) findPeriod(w *window, interval time.Duration) float64 {
	all := len(g.Mean)
	for n := shortest * (periods + 2); ; n += n / 4 {
		from := max(all-n, 0)
		w.openOn(g, from)
		if p := w.findPeriod(interval); p > 0 || from == 0 {
			return p
		}
	}
}
