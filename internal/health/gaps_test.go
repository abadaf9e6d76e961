package health

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// gone is the reading of a GPU without values.
var gone = work{util: math.NaN(), memory: math.NaN(), power: math.NaN(), clock: math.NaN(), link: math.NaN(),
	used: math.NaN()}

// lacking returns a work without some numbers, as from a driver that does not report them.
func lacking(w work, change func(*work)) work {
	change(&w)
	return w
}

// Unwatched time and unreported numbers are no evidence that a GPU or a job idles or hangs.
func TestUnknownIsNotIdle(t *testing.T) {
	raced.Skip(t)
	paused := func(long time.Duration) func(time.Duration, int) bool {
		return func(at time.Duration, node int) bool {
			return at > 5*time.Minute && at < 5*time.Minute+long && node == 0
		}
	}
	// back works until the silence, and rests for half a minute after it.
	back := func(at time.Duration, node, _ int) work {
		if node == 0 && at >= 25*time.Minute && at < 25*time.Minute+40*time.Second {
			return rests
		}
		return trains
	}
	noUtil := func(w *work) { w.util = math.NaN() }
	for name, tr := range map[string]trace{
		"a node of two is back": {nodes: 2, gpus: 8, age: traceAge, does: back, silent: paused(20 * time.Minute)},
		"the only node is back": {nodes: 1, gpus: 8, age: traceAge, does: back, silent: paused(20 * time.Minute)},
		"the only GPU is back":  {nodes: 1, gpus: 1, age: traceAge, does: back, silent: paused(20 * time.Minute)},
		"no utilization of one": {nodes: 1, gpus: 8, age: traceAge,
			does: one(always(trains), always(lacking(rests, noUtil)), 0, 3)},
		"no utilization of one from then": {nodes: 1, gpus: 8, age: traceAge,
			does: one(always(trains), until(trains, lacking(rests, noUtil), 5*time.Minute), 0, 3)},
		"the others are idle, and of one no number is known": {nodes: 1, gpus: 8, age: traceAge,
			does: one(until(trains, rests, 5*time.Minute), until(trains, gone, 5*time.Minute), 0, 3)},
		"two of three nodes are silent": {nodes: 3, gpus: 8, age: traceAge,
			does:   until(trains, rests, 5*time.Minute),
			silent: func(at time.Duration, node int) bool { return node > 0 && at >= 5*time.Minute }},
		"no memory traffic is known": {nodes: 2, gpus: 8, age: traceAge,
			does: until(lacking(trains, func(w *work) { w.memory = math.NaN() }),
				lacking(waits, func(w *work) { w.memory = math.NaN() }), 5*time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range tr.play(t, 40*time.Minute) {
				if f.Kind != cluster.KindStale {
					t.Errorf("found %v", f)
				}
			}
		})
	}
}

// A suspended job is not idle when it resumes.
func TestResumedJob(t *testing.T) {
	tr := trace{nodes: 1, gpus: 8, age: traceAge, does: func(at time.Duration, _, gpu int) work {
		if at > 5*time.Minute && at < 30*time.Minute || at < 31*time.Minute && gpu == 3 {
			return rests
		}
		return trains
	}}
	r := rand.New(rand.NewPCG(1, 2))
	s := tr.store()
	for at := time.Duration(0); at <= 32*time.Minute; at += tracePoll {
		if at%(30*time.Second) == 0 {
			d := tr.discovery()
			d.Jobs[0].Suspended = at >= 5*time.Minute && at < 30*time.Minute
			s.Apply(cluster.Event{At: t0.Add(at), Discovery: &d})
		}
		tr.apply(s, at, r)
		snap := s.Snapshot(t0.Add(at + time.Second))
		for i := range snap.Jobs[0].Findings {
			t.Fatalf("after %v: %s", at, say.Finding(snap, &snap.Jobs[0].Findings[i]).Sentence)
		}
	}
}

// A job that stops some time after a gap in its reports is found as soon as any other: the gap is no pause.
func TestGapIsNoPause(t *testing.T) {
	tr := trace{nodes: 1, gpus: 8, age: traceAge, does: until(trains, rests, 35*time.Minute),
		silent: func(at time.Duration, _ int) bool { return at > 5*time.Minute && at < 25*time.Minute }}
	for _, f := range tr.play(t, 40*time.Minute) {
		if f.Kind == cluster.KindJobIdle && f.at < 37*time.Minute {
			return
		}
	}
	t.Error("the job is idle, and nothing says so")
}

// On a site that ends idle jobs, the remaining time is mentioned as soon as something is idle.
func TestIdleCountdown(t *testing.T) {
	limits := Defaults()
	limits[IdleKillMinutes] = 60
	for name, tc := range map[string]struct {
		does func(time.Duration, int, int) work
		want string
	}{
		"one GPU": {one(always(trains), until(trains, rests, 2*time.Minute), 0, 5),
			"Idle while other GPUs of the job work; 70 GiB of its memory is in use; your site ends idle jobs after " +
				"60 min: 12 min left."},
		"the job": {until(trains, rests, 2*time.Minute),
			"All GPUs idle; your site ends idle jobs after 60 min: 12 min left."},
		"not used": {one(always(rests), always(rests), 0, 0),
			"None of the 8 GPUs has been used since nvnodetop started watching; your site ends idle jobs after 60 " +
				"min: 10 min left."},
	} {
		t.Run(name, func(t *testing.T) {
			tr := trace{nodes: 1, gpus: 8, age: traceAge, does: tc.does}
			s := tr.storeWith(limits)
			r := rand.New(rand.NewPCG(1, 2))
			for at := time.Duration(0); at <= 50*time.Minute; at += tracePoll {
				tr.apply(s, at, r)
			}
			snap := s.Snapshot(t0.Add(50 * time.Minute))
			if len(snap.Jobs[0].Findings) != 1 {
				t.Fatalf("%+v", snap.Jobs[0].Findings)
			}
			if got := say.Finding(snap, &snap.Jobs[0].Findings[0]).Sentence; got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// GPUs without a known owner prove nothing about a job.
func TestUnknownShareIsNotCompared(t *testing.T) {
	tr := trace{nodes: 1, gpus: 8, age: traceAge, does: one(always(trains), until(trains, rests, 2*time.Minute), 0, 5)}
	r := rand.New(rand.NewPCG(1, 2))
	s := tr.store()
	d := tr.discovery()
	d.Jobs[0].Minors = nil
	s.Apply(cluster.Event{At: t0, Discovery: &d})
	for at := time.Duration(0); at <= 10*time.Minute; at += tracePoll {
		tr.apply(s, at, r)
	}
	for _, f := range s.Snapshot(t0.Add(10 * time.Minute)).Jobs[0].Findings {
		if f.Kind != cluster.KindOwner {
			t.Errorf("found %+v", f)
		}
	}
}

// A GPU that belongs to two jobs has one finding.
func TestSharedGPUIsComparedOnce(t *testing.T) {
	tr := trace{nodes: 1, gpus: 8, age: traceAge, does: one(always(trains), until(trains, rests, 2*time.Minute), 0, 5)}
	r := rand.New(rand.NewPCG(1, 2))
	s := tr.store()
	d := tr.discovery()
	other := d.Jobs[0]
	other.ID, other.Number = "8", "8"
	d.Jobs = append(d.Jobs, other)
	s.Apply(cluster.Event{At: t0, Discovery: &d})
	for at := time.Duration(0); at <= 10*time.Minute; at += tracePoll {
		tr.apply(s, at, r)
	}
	snap := s.Snapshot(t0.Add(10 * time.Minute))
	if first, second := snap.Jobs[0].Findings, snap.Jobs[1].Findings; len(first) != 1 || len(second) != 0 {
		t.Errorf("%+v\n%+v", first, second)
	}
	if old := s.Snapshot(t0.Add(20 * time.Minute)).Jobs[0].Findings; len(old) != 1 || old[0].Kind != cluster.KindStale {
		t.Errorf("of a node that is silent: %+v", old)
	}
}

// A GPU that joins two others has no usual speed yet, so nobody knows whether it has become slower.
func TestANewGPUDoesNotLag(t *testing.T) {
	tr := trace{nodes: 3, gpus: 1, age: traceAge, does: one(always(trains), always(hotGPU), 2, 0),
		silent: func(at time.Duration, node int) bool { return node == 2 && at < changesAt }}
	for _, f := range tr.play(t, changesAt+5*time.Minute) {
		if f.Kind == cluster.KindLag {
			t.Errorf("found %v", f)
		}
	}
}

// Host memory without a job does not belong to the host that the user named.
func TestMemoryOfNoJob(t *testing.T) {
	n := &cluster.Node{Memory: []cluster.JobMemory{{JobMemory: wire.JobMemory{Used: 99, Limit: 100}}}}
	if m := n.MemoryOf(&cluster.Job{}); m != nil {
		t.Errorf("%+v", m)
	}
}
