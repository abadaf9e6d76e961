package health

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// pausing is a job that works, except in pauses of this length at these times. The work of a GPU in a pause depends on
// the time since its beginning.
func pausing(works func(time.Duration, int, int) work, rest func(into time.Duration, node, gpu int) work,
	length time.Duration, begin ...time.Duration) func(time.Duration, int, int) work {
	return func(at time.Duration, node, gpu int) work {
		for _, b := range begin {
			if at >= b && at < b+length {
				return rest(at-b, node, gpu)
			}
		}
		return works(at, node, gpu)
	}
}

// idles is a pause in which all GPUs wait while their nodes prepare a checkpoint.
func idles(time.Duration, int, int) work {
	return work{util: 4, memory: 2, power: 110, clock: 1980, link: 1e9, used: 70}
}

// writes is a pause in which all GPUs idle at first, and then wait for two that write a checkpoint.
func writes(into time.Duration, node, gpu int) work {
	if into < 25*time.Second || node == 0 && gpu < 2 {
		return idles(into, node, gpu)
	}
	return waits
}

// spins is a pause in which all GPUs wait for a host at the same time.
func spins(time.Duration, int, int) work { return waits }

// lagged plays a trace and passes see the finding about the lag of a GPU in each Snapshot; nil: there is none.
func lagged(tr trace, length time.Duration,
	see func(at time.Duration, f *cluster.Finding)) (cleared []cluster.Finding) {
	r := rand.New(rand.NewPCG(1, 2))
	s := tr.store()
	for at := time.Duration(0); at <= length; at += tracePoll {
		tr.apply(s, at, r)
		view := s.Snapshot(t0.Add(at + time.Second)).Jobs[0]
		cleared = view.Cleared
		var lag *cluster.Finding
		for i := range view.Findings {
			if f := &view.Findings[i]; f.Kind == cluster.KindLag {
				lag = f
			}
		}
		see(at, lag)
	}
	return cleared
}

var (
	starvedGPU = work{util: 25, memory: 12, power: 250, clock: 1980, link: 5e9, used: 70}
	hotGPU     = work{util: 99, memory: 50, power: 400, clock: 950, link: 30e9, used: 70,
		throttle: wire.ThrottleHWThermal}
	busyGPU    = work{util: 99, memory: 50, power: 560, clock: 1700, link: 30e9, used: 70}
	slowedGPUs = work{util: 99, memory: 14, power: 260, clock: 1980, link: 12e9, used: 70}
)

// A checkpoint neither ends a lag nor makes it longer: before, during and after it there is one finding.
func TestLagOutlivesCheckpoints(t *testing.T) {
	raced.Skip(t)
	checkpoints := []time.Duration{30 * time.Minute, 36 * time.Minute, 42 * time.Minute}
	for _, tc := range []struct {
		name   string
		nodes  int
		lags   work
		rest   func(time.Duration, int, int) work
		length time.Duration
	}{
		{"starved, all idle", 2, starvedGPU, idles, 80 * time.Second},
		{"starved, all idle for nearly 2 minutes", 2, starvedGPU, idles, 110 * time.Second},
		{"starved, most wait for writers", 2, starvedGPU, writes, 95 * time.Second},
		{"starved, all wait", 2, starvedGPU, spins, 80 * time.Second},
		{"thermally slowed, all idle", 2, hotGPU, idles, 80 * time.Second},
		{"thermally slowed, most wait for writers", 2, hotGPU, writes, 95 * time.Second},
		{"busy while the others wait, all idle", 2, busyGPU, idles, 80 * time.Second},
		{"thermally slowed, on one node", 1, hotGPU, idles, 80 * time.Second},
		{"starved, and works on while the others wait", 2, starvedGPU, func(into time.Duration, node, gpu int) work {
			if node == 1 && gpu == 3 {
				return starvedGPU
			}
			return idles(into, node, gpu)
		}, 80 * time.Second},
		{"brief", 2, starvedGPU, idles, 20 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr := trace{nodes: tc.nodes, gpus: 8, age: traceAge,
				does: pausing(but(trains, slowedGPUs, tc.lags, tc.nodes-1, 3), tc.rest, tc.length, checkpoints...)}
			since := time.Time{}
			cleared := lagged(tr, 50*time.Minute, func(at time.Duration, f *cluster.Finding) {
				switch {
				case at < changesAt+90*time.Second:
				case f == nil:
					t.Fatalf("after %v the lag is not named", at)
				case since.IsZero():
					since = f.Since
				}
				if f != nil && (!f.Holds() || f.Node != nodeName(tc.nodes-1) || f.GPU != 3 || f.Times != 1 ||
					at >= changesAt+90*time.Second && !f.Since.Equal(since)) {
					t.Fatalf("after %v: %+v", at, *f)
				}
			})
			for _, f := range cleared {
				if f.Kind == cluster.KindLag {
					t.Errorf("cleared: %+v", f)
				}
			}
		})
	}
}

// A pause brings an unreported lag no nearer to its report.
func TestPauseIsNoLag(t *testing.T) {
	tr := trace{nodes: 2, gpus: 8, age: traceAge, does: pausing(but(trains, slowedGPUs, starvedGPU, 1, 3), idles,
		80*time.Second, changesAt+30*time.Second)}
	first := time.Duration(0)
	lagged(tr, changesAt+5*time.Minute, func(at time.Duration, f *cluster.Finding) {
		if f != nil && first == 0 {
			first = at - changesAt - 80*time.Second
		}
	})
	if first < 60*time.Second || first > 110*time.Second {
		t.Errorf("the lag is named after %v, without the pause", first)
	}
}

// A finding that a pause hides is over when the job resumes, when the GPU works although the others do not, and when
// there is no work any more.
func TestLagEndsAfterAPause(t *testing.T) {
	const stops = 30 * time.Minute
	restored := func(at time.Duration, node, gpu int) work {
		if at > stops {
			return trains
		}
		return but(trains, slowedGPUs, starvedGPU, 1, 3)(at, node, gpu)
	}
	for name, tc := range map[string]struct {
		does        func(time.Duration, int, int) work
		from, until time.Duration // the finding ends between these times
	}{
		"recovered in a pause": {pausing(restored, idles, 80*time.Second, stops), stops + 80*time.Second,
			stops + 80*time.Second + 25*time.Second},
		"recovered before a pause": {pausing(restored, idles, 80*time.Second, stops+40*time.Second), stops,
			stops + 20*time.Second},
		"works, the others do not": {pausing(restored, func(into time.Duration, node, gpu int) work {
			if node == 1 && gpu == 3 {
				return trains
			}
			return idles(into, node, gpu)
		}, 100*time.Second, stops), stops, stops + 20*time.Second},
		"the job has done its work": {pausing(restored, func(time.Duration, int, int) work { return rests }, time.Hour,
			stops), stops + 100*time.Second, stops + 130*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			over := time.Duration(0)
			lagged(trace{nodes: 2, gpus: 8, age: traceAge, does: tc.does}, stops+5*time.Minute,
				func(at time.Duration, f *cluster.Finding) {
					held := f != nil && f.Holds()
					if at > changesAt+90*time.Second && !held && over == 0 {
						over = at
					}
					if over > 0 && held {
						t.Fatalf("it lags again: %s", fmt.Sprint(at, *f))
					}
				})
			if over < tc.from || over > tc.until {
				t.Errorf("over after %v, want %v to %v", over-stops, tc.from-stops, tc.until-stops)
			}
		})
	}
}

// A job that resumes after half an hour has no idle GPU, although its GPUs begin one after the other. A GPU that then
// gets no work is idle after 5 minutes.
func TestIdleAfterALongPause(t *testing.T) {
	const stops, length = 10 * time.Minute, 30 * time.Minute
	left := func(into time.Duration, node, gpu int) work {
		if into >= length && (node == 1 && gpu == 7 || into < length+time.Duration(8*node+gpu)*2*time.Second) {
			return rests
		}
		return trains
	}
	tr := trace{nodes: 2, gpus: 8, age: traceAge, does: func(at time.Duration, node, gpu int) work {
		if at >= stops && at < stops+length {
			return rests
		}
		return left(at-stops, node, gpu)
	}}
	for _, f := range tr.play(t, stops+length+10*time.Minute) {
		went := f.at - stops - length
		if f.Kind == cluster.KindIdle && (f.Node != "n02" || f.GPU != 7 || went < 4*time.Minute ||
			went > 6*time.Minute) {
			t.Errorf("%v after the job went on: %v", went, f)
		}
	}
}

// While one rank evaluates, the others wait for it and read nothing. This is no lag, even where their links are not
// quiet.
func TestTheOthersStandStill(t *testing.T) {
	evaluates, waits := trains, waits
	waits.link = 3e9
	tr := trace{nodes: 1, gpus: 4, age: traceAge, does: but(trains, waits, evaluates, 0, 0)}
	for _, f := range tr.play(t, changesAt+5*time.Minute) {
		if f.Severity >= cluster.Warning {
			t.Errorf("found %v", f)
		}
	}
}
