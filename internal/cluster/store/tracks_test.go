package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// A finding that ends stays for a minute, counts as cleared for an hour, and then is forgotten.
func TestAFindingOverTime(t *testing.T) {
	w := oneNode()
	w.samples(0, 30, well)
	w.expect(t, 29, "")
	w.samples(30, 60, hot)
	w.expect(t, 30, "thermal a/0 30-")
	w.expect(t, 59, "thermal a/0 30-")
	w.samples(60, 63, well)
	w.expect(t, 60, "thermal a/0 30-57")
	w.samples(63, 117, well)
	w.expect(t, 117, "thermal a/0 30-57")
	w.expect(t, 117.1, "; cleared: thermal a/0 30-57") // before an Event says so
	w.samples(117, 3600, well)
	w.expect(t, 3600, "; cleared: thermal a/0 30-57")
	w.samples(3600, 3660, well)
	w.expect(t, 3658, "")
}

func TestAReturnWithinAMinuteKeepsTheAge(t *testing.T) {
	for _, tc := range []struct {
		back float64 // after it was over
		want string
	}{
		{59, "thermal a/0 0- x2"},
		{61, "thermal a/0 61-; cleared: thermal a/0 0-0"},
	} {
		w := oneNode()
		w.sample(0, "a", hot)
		w.samples(1, tc.back, well)
		w.sample(tc.back, "a", hot)
		w.expect(t, tc.back, tc.want)
	}
}

// A problem that comes and goes with each sample is one finding with one age.
func TestFlapping(t *testing.T) {
	w := oneNode()
	for sec := 0.0; sec < 600; sec += 6 {
		w.sample(sec, "a", hot)
		w.expect(t, sec, "thermal a/0 0-"+times(int(sec/6)+1))
		w.sample(sec+3, "a", well)
		w.expect(t, sec+3, fmt.Sprintf("thermal a/0 0-%g%s", sec, times(int(sec/6)+1)))
	}
	w.samples(603, 660, well)
	w.expect(t, 660, "; cleared: thermal a/0 0-594 x100")
}

func times(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" x%d", n)
}

func TestRepeatsAreClearedInOneEntry(t *testing.T) {
	w := oneNode()
	for _, sec := range []float64{0, 300, 600} {
		w.sample(sec, "a", hot)
		w.samples(sec+3, sec+300, well)
	}
	w.expect(t, 900, "; cleared: thermal a/0 0-600 x3")
	w.sample(900, "a", hot)
	w.expect(t, 900, "thermal a/0 900-; cleared: thermal a/0 0-600 x3")
	f := w.Snapshot(at(900)).Jobs[0].Findings[0]
	if want := (cluster.Earlier{Times: 3, Since: at(0)}); f.Earlier != want || !f.Last.Equal(at(600)) {
		t.Errorf("earlier %+v, last %v, want %+v, 600 s", f.Earlier, f.Last, want)
	}
}

// A condition with a delay is neither reported, kept nor aged for the time before.
func TestLateFindings(t *testing.T) {
	w := oneNode()
	w.samples(300, 330, warm)
	w.expect(t, 329, "")
	w.expect(t, 336, "") // no sample says more
	w.sample(330, "a", warm)
	w.expect(t, 330, "thermal a/0 300-")
	w.sample(333, "a", well)
	w.sample(336, "a", warm) // a finding reported before is reported again at once
	w.expect(t, 336, "thermal a/0 300- x2")
}

// A condition that comes and goes is reported after it has held longer than not; a rare condition never is.
func TestFlappingIsToldLate(t *testing.T) {
	for _, tc := range []struct {
		name    string
		on, off int     // samples, each 3 s
		told    float64 // the time until the report; 0: never
		since   float64
	}{
		{"always", 1, 0, 30, 0}, {"two of three", 2, 1, 57, 0}, {"every other", 1, 1, 114, 6},
		{"one of three", 1, 2, 0, 0}, {"one of ten", 1, 9, 0, 0},
	} {
		w := oneNode()
		for i := range 600 {
			sample := well
			if i%(tc.on+tc.off) < tc.on {
				sample = warm
			}
			sec := float64(3 * i)
			w.sample(sec, "a", sample)
			told := len(w.Snapshot(at(sec)).Jobs[0].Findings) > 0
			if want := tc.told > 0 && sec >= tc.told; told != want {
				t.Errorf("%s: told %v after %g s, want it after %g s", tc.name, told, sec, tc.told)
				break
			}
		}
		if f := w.Snapshot(at(1797)).Jobs[0].Findings; len(f) > 0 && !f[0].Since.Equal(at(tc.since)) {
			t.Errorf("%s: since %v", tc.name, f[0].Since)
		}
	}
}

// One sample proves nothing, and neither does one now and then, even if the next one would be reported.
func TestOneSampleIsNothing(t *testing.T) {
	brief := wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Throttle: 1})} // told after 1 s
	w := oneNode()
	for sec := 0.0; sec < 600; sec += 15 {
		w.sample(sec, "a", brief)
		w.expect(t, sec, "")
		w.samples(sec+3, sec+15, well)
	}
	w.sample(600, "a", brief)
	w.sample(603, "a", brief)
	w.expect(t, 603, "thermal a/0 600-")
}

// A condition in the first report of a node was there before: nobody knows since when. A hanging call has a time of its
// own.
func TestBeforeWeLooked(t *testing.T) {
	w := oneNode(0, 1)
	w.samples(0, 6, ecc)
	w.sample(6, "a", hot)
	for _, f := range w.Snapshot(at(6)).Jobs[0].Findings {
		if want := f.Kind == cluster.KindMissing || f.Kind == cluster.KindECC; f.Before != want {
			t.Errorf("%s: before %v", f.Kind, f.Before)
		}
	}
	w.down(7, "a", reach.ClassClosed)
	w.try(8, "a")
	w.hello(8, "a", 2)
	w.sample(9, "a", ecc) // the same spell goes on
	w.samples(12, 90, well)
	w.sample(90, "a", ecc) // a new finding
	job := w.Snapshot(at(90)).Jobs[0]
	if len(job.Findings) != 1 || job.Findings[0].Before {
		t.Errorf("now: %+v", job.Findings)
	}
	for _, f := range job.Cleared {
		if want := f.Kind == cluster.KindMissing || f.Kind == cluster.KindECC; f.Before != want {
			t.Errorf("cleared %s: before %v", f.Kind, f.Before)
		}
	}
	w = newWorld()
	w.jobs(0, cluster.Job{ID: "1", Nodes: []string{"a"}})
	w.try(0, "a")
	w.down(1, "a", reach.ClassRefused)
	if f := w.Snapshot(at(2)).Jobs[0].Findings; len(f) != 1 || f[0].Before {
		t.Errorf("a failure that was seen to begin: %+v", f)
	}
}

// The time without reports is unknown: it brings nothing nearer to a report.
func TestSilenceTellsNothing(t *testing.T) {
	w := oneNode()
	for sec := 0.0; sec < 900; sec += 60 {
		w.sample(sec, "a", warm)
		if list := list(w.Snapshot(at(sec)).Jobs[0].Findings); strings.Contains(list, "thermal") {
			t.Fatalf("at %g s: %s", sec, list)
		}
	}
}

// A finding that one rule would report late is reported at once by another, and stays.
func TestTheSoonerRuleCounts(t *testing.T) {
	w := oneNode()
	w.samples(0, 9, warm)
	w.expect(t, 9, "")
	w.sample(9, "a", hot)
	w.sample(12, "a", warm)
	w.expect(t, 12, "thermal a/0 0-")
}

// While a node is silent, nobody knows whether a finding is over.
func TestSilenceEndsNothing(t *testing.T) {
	w := oneNode()
	w.sample(0, "a", hot)
	w.expect(t, 60, "node_stale a/-1 0-, thermal a/0 0-")
	w.sample(90, "a", hot)
	w.expect(t, 90, "thermal a/0 0-, node_stale a/-1 0-90")
}

// The same Events give the same findings, whenever somebody looked meanwhile.
func TestLooksChangeNothing(t *testing.T) {
	events := chaos(2000)
	run := func(look bool) *cluster.Snapshot {
		w := newWorld()
		w.jobs(0, cluster.Job{ID: "1", Nodes: []string{"a", "b"}})
		r := rand.New(rand.NewPCG(2, 2))
		for _, e := range events {
			if look {
				w.Snapshot(e.At.Add(time.Duration(r.IntN(300)-100) * time.Second))
			}
			w.Apply(e)
		}
		return w.Snapshot(events[len(events)-1].At.Add(time.Second))
	}
	quiet, looked := run(false).Jobs[0], run(true).Jobs[0]
	if len(quiet.Findings) == 0 || len(quiet.Cleared) == 0 {
		t.Fatalf("nothing happened: %+v", quiet)
	}
	if diff := cmp.Diff(quiet, looked); diff != "" {
		t.Errorf("looks change what is found:\n%s", diff)
	}
}

// chaos is n Events of two nodes to which anything happens.
func chaos(n int) []cluster.Event {
	r := rand.New(rand.NewPCG(1, 1))
	states := []wire.GPU{well, well, hot, warm, ecc, {Lost: "GPU is lost"}}
	var out []cluster.Event
	sec, mono := 0.0, int64(0)
	for range n {
		node := []string{"a", "b"}[r.IntN(2)]
		sec += float64(r.IntN(12))
		mono += 3000
		e := cluster.Event{At: at(sec), Node: node}
		switch r.IntN(12) {
		case 0:
			e.Down = &cluster.Down{Failure: reach.Failure{Class: reach.ClassClosed}}
		case 1:
			e.Try = &cluster.Try{Interval: 3 * time.Second}
		case 2:
			e.Hello = &wire.Hello{GPUs: []wire.Card{{UUID: "x", Minor: new(0)}}}
		default:
			e.Report = &wire.Report{MonoMS: mono, GPUs: []wire.GPU{states[r.IntN(len(states))]}}
		}
		out = append(out, e)
	}
	return out
}

// A finding that cannot be judged for some time neither ends nor ages, and none begins.
func TestUnclear(t *testing.T) {
	w := oneNode()
	w.samples(0, 60, dim)
	w.expect(t, 59, "")
	w.samples(60, 75, warm) // level 12 s
	w.samples(75, 375, dim)
	w.expect(t, 374, "")
	w.samples(375, 387, warm)
	w.samples(387, 393, dim)
	w.samples(393, 396, warm)
	w.expect(t, 395, "")
	w.samples(396, 399, warm)
	w.expect(t, 398, "thermal a/0 60-")
	w.samples(399, 402, well) // it seems over, until nobody can tell
	w.expect(t, 401, "thermal a/0 60-396")
	w.samples(402, 699, dim)
	w.expect(t, 698, "thermal a/0 60-")
	w.samples(699, 702, well)
	w.expect(t, 701, "thermal a/0 60-696")
	w.samples(702, 765, well)
	w.expect(t, 764, "; cleared: thermal a/0 60-696")
	w.samples(765, 780, dim)
	w.expect(t, 779, "; cleared: thermal a/0 60-696")
}

// A finding is first told as severe as it was for a third of the time, not as in the last sample.
func TestFirstSeverity(t *testing.T) {
	for _, tc := range []struct {
		severe int // the last samples of 30
		want   cluster.Severity
	}{{1, cluster.Note}, {8, cluster.Note}, {12, cluster.Warning}, {30, cluster.Warning}} {
		var tr track
		for i := range 30 {
			c := cluster.Condition{Kind: cluster.KindLag, Severity: cluster.Note, After: 87 * time.Second}
			if i >= 30-tc.severe {
				c.Severity = cluster.Warning
			}
			tr.stepSpells([]cluster.Condition{c}, stepTime{at: t0.Add(time.Duration(3*i) * time.Second), gap: 9 * time.Second})
		}
		if s := tr.spells[0]; !s.told || s.Severity != tc.want {
			t.Errorf("%d of 30 samples are severe: told %t as %d, want %d", tc.severe, s.told, s.Severity, tc.want)
		}
	}
}
