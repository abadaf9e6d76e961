package health

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// light is the work of a job that takes little power, waiting or not.
var light = work{util: 100, memory: 30, power: 390, clock: 1900, link: 20e9, used: 70}

// with returns the work with another utilization, memory traffic and power.
func (w work) with(util, memory, power float64) work {
	w.util, w.memory, w.power = util, memory, power
	return w
}

// A GPU that differs from the others is not slow for that reason alone: its part of the work may differ.
func TestDifferentIsNotSlow(t *testing.T) {
	raced.Skip(t)
	all := always(light)
	later := func(then work) func(time.Duration, int, int) work { return until(light, then, changesAt) }
	slowed := work{util: 99, memory: 33, power: 342, clock: 990, link: 30e9, used: 70}
	for name, tc := range map[string]struct {
		gpus int
		does func(time.Duration, int, int) work
	}{
		"two have less to do, each another part": {8,
			one(one(always(trains), always(trains.with(25, 12, 250)), 0, 3), always(trains.with(65, 30, 420)), 0, 5)},
		"less to do from now on":                      {8, one(all, later(light.with(65, 30, 390)), 0, 3)},
		"more memory traffic from now on":             {8, one(all, later(light.with(100, 48, 390)), 0, 3)},
		"more power from now on":                      {8, one(all, later(light.with(100, 30, 640)), 0, 3)},
		"it holds the parameters and hardly computes": {8, one(all, always(light.with(12, 3, 130)), 0, 3)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range (trace{nodes: 1, gpus: tc.gpus, age: traceAge, does: tc.does}).play(t, 50*time.Minute) {
				if f.Severity > cluster.Note || name != "it holds the parameters and hardly computes" {
					t.Errorf("found %v", f)
				}
			}
		})
	}
	t.Run("the starved one of two", func(t *testing.T) {
		starved := work{util: 25, memory: 14, power: 215, clock: 1900, link: trains.link / 4, used: 70}
		waits := work{util: 100, memory: 14, power: 300, clock: 1900, link: trains.link / 4, used: 70}
		other := waits // with other work: it reads as much as ever
		other.memory = trains.memory
		for want, first := range map[int]work{1: waits, 0: other} {
			tr := trace{nodes: 1, gpus: 2, age: traceAge, does: but(trains, first, starved, 0, 1)}
			all := tr.play(t, changesAt+20*time.Minute)
			if len(all) != want || want > 0 && (all[0].Kind != cluster.KindLag || all[0].GPU != 1) {
				t.Errorf("%v: found %v", first, all)
			}
		}
	})
	t.Run("the fast one of two", func(t *testing.T) {
		tr := trace{nodes: 1, gpus: 2, age: traceAge, does: but(trains, trains.with(99, 33, 438), slowed, 0, 1)}
		all := tr.play(t, changesAt+20*time.Minute)
		if len(all) != 1 || all[0].Kind != cluster.KindLag || all[0].GPU != 1 {
			t.Errorf("found %v", all)
		}
	})
}

// A GPU that is slow for one sample is not the changing slow GPU, even with a lag_ratio below which nearly every GPU
// falls now and then.
func TestBriefIsNoPlace(t *testing.T) {
	limits := Defaults()
	limits[LagRatio] = 0.9
	for every, want := range map[time.Duration]bool{tracePoll: false, 8 * tracePoll: true} {
		tr := trace{nodes: 2, gpus: 8, age: traceAge, does: func(at time.Duration, node, gpu int) work {
			switch {
			case at <= changesAt:
				return trains
			case int(at/every)*7%16 == 8*node+gpu:
				return trains.with(50, 30, 400)
			}
			return slowedGPUs
		}}
		r, s, told := rand.New(rand.NewPCG(1, 2)), tr.storeWith(limits), false
		for at := time.Duration(0); at <= changesAt+5*time.Minute; at += tracePoll {
			tr.apply(s, at, r)
			for _, f := range s.Snapshot(t0.Add(at + time.Second)).Jobs[0].Findings {
				told = told || f.Kind == cluster.KindLag && f.Node == ""
			}
		}
		if told != want {
			t.Errorf("another GPU is slow every %v: told %t", every, told)
		}
	}
}
