package progress

import (
	"math"
	"slices"
	"testing"
	"time"
)

var shapes = []shape{
	{name: "steady", power: steady(640)},
	{name: "steady and noisy", power: steady(640), noise: 0.05},
	{name: "idle", power: steady(70), noise: 0.02},
	{name: "random power", power: atRandom(1, 20, 200, 680)},
	{name: "random power for about as long each time", power: atRandom(8, 12, 200, 680)},
	{name: "a walk", power: walk(10)},
	{name: "a slow walk", power: walk(60)},
	{name: "swings that drift", power: swings(18, 30)},
	{name: "swings that drift slowly", power: swings(18, 90)},
	{name: "thermostats without clocks", power: thermostat(20)},
	{name: "GPUs that work for themselves", power: alone(20), want: 20},
	{name: "requests at random", power: requests(5, 6)},
	{name: "requests at random for all GPUs", power: together(requests(8, 8))},
	{name: "random power of all GPUs", power: together(atRandom(5, 20, 200, 680))},
	{name: "swings of all GPUs that drift", power: together(swings(18, 40))},
	{name: "requests for one GPU of two", power: requests(20, 10), gpus: 2},

	{name: "1 s", power: steps(1, 0.01, 0.7)},
	{name: "1 s exactly", power: steps(1, 0, 0.7)},
	{name: "0.9 s exactly", power: steps(0.9, 0, 0.7)},
	{name: "1.1 s", power: steps(1.1, 0.002, 0.7)},
	{name: "1.4 s exactly", power: steps(1.4, 0, 0.7)},
	{name: "1.6 s", power: steps(1.6, 0.002, 0.7)},
	{name: "1.8 s", power: steps(1.8, 0.002, 0.7)},
	{name: "2.2 s", power: steps(2.2, 0.002, 0.5)},
	{name: "2.4 s", power: steps(2.4, 0.002, 0.5)},
	{name: "2.5 s", power: steps(2.5, 0.002, 0.5)},
	{name: "2.6 s", power: steps(2.6, 0, 0.7)},
	{name: "2.7 s", power: steps(2.7, 0.002, 0.5)},
	{name: "2.8 s", power: steps(2.8, 0.001, 0.7)},
	{name: "3.2 s", power: steps(3.2, 0.001, 0.7)},
	{name: "3.5 s", power: steps(3.5, 0.001, 0.7)},
	{name: "4 s", power: steps(4, 0.001, 0.5)},
	{name: "4 s with narrow dips", power: steps(4, 0.001, 0.85)},
	{name: "4.5 s", power: steps(4.5, 0.001, 0.85)},
	{name: "5 s", power: steps(5, 0.001, 0.7)},
	{name: "5 s with narrow dips", power: steps(5, 0.001, 0.85)},
	{name: "6 s", power: steps(6, 0.001, 0.7)},
	{name: "7 s", power: steps(7, 0.001, 0.7), want: 7},
	{name: "7.5 s", power: steps(7.5, 0.001, 0.7), want: 7.5},
	{name: "7.5 s with narrow dips", power: steps(7.5, 0.001, 0.85), want: 7.5},
	{name: "9 s", power: steps(9, 0.005, 0.7), want: 9},
	{name: "10 s", power: steps(10, 0.001, 0.7), want: 10},
	{name: "11 s", power: steps(11, 0.01, 0.8), want: 11},

	{name: "12 s", power: steps(12, 0.01, 0.7), want: 12},
	{name: "13 s", power: steps(13, 0.01, 0.7), want: 13, found: true, noise: 0.02},
	{name: "12.5 s with narrow dips", power: steps(12.5, 0.01, 0.88), want: 12.5},
	{name: "14 s, each up to 10 % shorter or longer", power: steps(14, 0.1, 0.7), want: 14, found: true},
	{name: "12 s, each up to 10 % shorter or longer", power: steps(12, 0.1, 0.7), want: 12},
	{name: "17 s", power: steps(17, 0.02, 0.6), want: 17, found: true, noise: 0.03},
	{name: "20 s", power: steps(20, 0.02, 0.8), want: 20, found: true, noise: 0.03},
	{name: "24 s, one GPU", power: steps(24, 0.02, 0.7), gpus: 1},
	{name: "24 s, two GPUs", power: steps(24, 0.02, 0.7), want: 24, found: true, gpus: 2},
	{name: "30 s", power: steps(30, 0.02, 0.8), want: 30, found: true, noise: 0.03},
	{name: "30 s with narrow dips", power: steps(30, 0.02, 0.92), want: 30},
	{name: "30 s and much noise", power: steps(30, 0.02, 0.7), want: 30, noise: 0.15},
	{name: "34 s", power: steps(34, 0.01, 0.7), want: 34},
	{name: "50 s", power: steps(50, 0.01, 0.7)},
	{name: "a minute", power: steps(60, 0.01, 0.7)},

	{name: "13 s, evaluation each 100 steps", power: every(1300, 70, 400, steps(13, 0.02, 0.7)), want: 13, found: true},
	{name: "14 s, a checkpoint each 20 steps", power: every(280, 25, 90, steps(14, 0.02, 0.7)), want: 14},
	{name: "1.7 s, evaluation each 10 steps", power: every(17, 6, 350, steps(1.7, 0.02, 0.7))},
	{name: "2.3 s, evaluation each 10 steps", power: every(23, 6, 150, steps(2.3, 0.02, 0.7))},
	{name: "4 batches of 6 s a step", power: accumulated(6, 4, 3), want: 27},
	{name: "8 batches of 3 s a step", power: accumulated(3, 8, 2), want: 26},
	{name: "2 batches of 12 s a step", power: accumulated(12, 2, 3), want: 27},
	{name: "4 batches of 13 s a step", power: accumulated(13, 4, 4)},
	{name: "8 batches of 12 s a step", power: accumulated(12, 8, 4)},
	{name: "2 batches of 14 s a step, and little between steps", power: accumulated(14, 2, 1), want: 29},
	{name: "steps of 12 and 18 s", power: alternating(12, 18), want: 30},
	{name: "steps of 14 and 16 s", power: alternating(14, 16), want: 15},
	{name: "steps of 10 and 20 s", power: alternating(10, 20), want: 30},
	{name: "a pipeline", power: bubbles(20), want: 20},
	{name: "faster in the middle", power: faster(1000, steps(20, 0.02, 0.7), steps(14, 0.02, 0.7)),
		first: 20, after: 1000, want: 14},
	{name: "slower in the middle", power: faster(1000, steps(16, 0.02, 0.7), steps(24, 0.02, 0.7)),
		first: 16, after: 1000, want: 24},
	{name: "a little slower in the middle", power: faster(1000, steps(20, 0.01, 0.7), steps(22, 0.01, 0.7)),
		first: 20, after: 1000, want: 22},
	{name: "twice as fast in the middle", power: faster(1000, steps(30, 0.01, 0.7), steps(15, 0.01, 0.7)),
		first: 30, after: 1000, want: 15},
	{name: "four times as fast in the middle", power: faster(1000, steps(31.2, 0.01, 0.5), steps(7.8, 0.01, 0.5)),
		first: 31.2, after: 1000, want: 7.8},
	{name: "long steps become short", power: faster(1000, steps(20, 0.02, 0.7), steps(2.7, 0.002, 0.7)),
		first: 20, after: 1000},
	{name: "missing samples", power: steps(20, 0.02, 0.7), want: 20, lost: 0.08},
	{name: "half of the samples", power: steps(20, 0.02, 0.7), lost: 0.5},
	{name: "late samples", power: steps(20, 0.02, 0.7), want: 20, found: true, late: 0.8},
	{name: "one GPU out of rhythm", power: steps(20, 0.02, 0.7), want: 20, found: true, gpus: 8,
		own: map[int]power{3: atRandom(2, 20, 200, 600)}},
	{name: "half of the GPUs out of rhythm", power: steps(20, 0.02, 0.7),
		own: map[int]power{0: steady(600), 1: steady(600)}},
	{name: "too hot", power: thermostat(20), clock: func(w float64) float64 { return 900 + 1.6*w }},
	{name: "too hot, all at the same time", power: steps(20, 0.02, 0.6),
		clock: func(w float64) float64 { return 900 + 1.6*w }},
	{name: "at its power limit", power: steps(20, 0.02, 0.7), want: 20, found: true,
		clock: func(w float64) float64 { return 2100 - 0.5*w }},
}

// watches are how the shapes are sampled: the interval, and the time over which the driver's power is a mean.
var watches = []struct {
	poll   time.Duration
	window float64
}{
	{time.Second, 1}, {2 * time.Second, 0.1}, {2 * time.Second, 1}, {3 * time.Second, 0.1}, {3 * time.Second, 1},
	{5 * time.Second, 1},
}

// No shape has a wrong number at any moment, whatever the interval; those that are clear have the right one.
func TestShapes(t *testing.T) {
	for i := range shapes {
		s := &shapes[i]
		t.Run(s.name, func(t *testing.T) {
			looks, right := 0, 0
			for n, w := range watches {
				all := s.record(uint64(10*i+n), 2600, w.poll, w.window)
				for at := 240.0; at < 2600; at = s.nextLook(at) {
					samples := int(at / w.poll.Seconds())
					got := StepTime(upTo(all, samples, int(12*time.Minute/w.poll)), w.poll).Seconds()
					if looks++; s.isRight(at, got) {
						right++
					} else if got != 0 {
						t.Errorf("polled every %v, after %v s: %.1f s, want %v", w.poll, at, got, s.want)
					}
				}
			}
			if s.found && 2*right < looks {
				t.Errorf("found in %d of %d looks", right, looks)
			}
		})
	}
}

// nextLook is when the time of a step is looked at again: soon after a change.
func (s *shape) nextLook(at float64) float64 {
	if s.after > 0 && at > s.after-200 && at < s.after+600 {
		return at + 20
	}
	return at + 180
}

// slowToSee is how many steps may pass until a change of their time is seen.
const slowToSee = 8

// isRight reports whether this is the time of a step at a moment, up to 5 %.
func (s *shape) isRight(at, got float64) bool {
	isNear := func(want float64) bool { return want > 0 && math.Abs(got/want-1) <= 0.05 }
	switch {
	case at < s.after:
		return isNear(s.first)
	case at < s.after+slowToSee*s.first:
		return isNear(s.want) || isNear(s.first)
	}
	return isNear(s.want)
}

func upTo(all []PowerPast, n, keeps int) []PowerPast {
	some := make([]PowerPast, len(all))
	for i, g := range all {
		from := max(n-keeps, 0)
		some[i] = PowerPast{g.Mean[from:n], g.Now[from:n], g.Clock[from:n]}
	}
	return some
}

// Without enough samples nothing is known.
func TestTooLittle(t *testing.T) {
	s := shape{power: steps(20, 0.01, 0.7), gpus: 2}
	all := s.record(1, 1000, 3*time.Second, 1)
	unknown := upTo(all, 300, 300)
	for i := range unknown {
		unknown[i].Mean = slices.Repeat([]float32{float32(math.NaN())}, 300)
	}
	if got := StepTime(upTo(all, 300, 300), 3*time.Second).Round(time.Second); got != 20*time.Second {
		t.Fatalf("with all samples: %v", got)
	}
	for name, gpus := range map[string][]PowerPast{"no GPU": nil, "no sample": upTo(all, 0, 0),
		"two samples": upTo(all, 2, 2),
		"16 steps":    upTo(all, 106, 106), "no energy counter": unknown} {
		if got := StepTime(gpus, 3*time.Second); got != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The most GPUs that are looked at: a step that is found costs most.
func BenchmarkStepTime(b *testing.B) {
	s := shape{power: steps(20, 0.02, 0.7), noise: 0.02, gpus: 32}
	all := s.record(1, 720, 3*time.Second, 1)
	b.ReportAllocs()
	for b.Loop() {
		StepTime(all, 3*time.Second)
	}
}
