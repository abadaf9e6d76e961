package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// fewRules are enough to see the Store keep their time.
func fewRules(s Subject) []Condition {
	scope, n, g := s.Scope, s.Node, s.GPU
	switch {
	case scope == ScopeJob:
		if m := s.Job.Missing(n); m.Certain {
			return []Condition{{Kind: KindMissing, Severity: Critical}}
		}
		return nil
	case scope == ScopeReach && n.State == NodeFailed:
		return []Condition{{Kind: KindFailed, Class: n.Failure.Class, Severity: Critical, Since: n.Since}}
	case scope == ScopeReach && n.State == NodeStale:
		return []Condition{{Kind: KindStale, Severity: Warning, Since: n.Since}}
	case scope == ScopeReach && n.State == NodeConnecting:
		return []Condition{{Kind: KindConnecting, Severity: Waiting, Since: n.Since}}
	case scope == ScopeReport && n.Hello.Fault != "":
		return []Condition{{Kind: KindNoDriver, Severity: Critical, OfGPUs: true}}
	case scope != ScopeGPU:
		return nil
	case g.Lost != "":
		return []Condition{{Kind: KindLost, Severity: Critical}}
	}
	var held []Condition
	if g.Values.Has(metric.ECCUncorrected) {
		held = append(held, Condition{Kind: KindECC, Severity: Warning})
	}
	if g.Values.Has(metric.SMActive) {
		held = append(held, Condition{Kind: KindLag, Severity: Warning})
	}
	if seconds, known := g.Get(metric.Throttle); known {
		held = append(held, Condition{Kind: KindThermal, Severity: Warning, After: time.Duration(seconds) * time.Second})
	}
	return held
}

// sample sends a report of one GPU.
func (w world) sample(sec float64, node string, g wire.GPU) {
	w.Apply(Event{At: at(sec), Node: node, Report: &wire.Report{MonoMS: 1000 + int64(sec*1000), GPUs: []wire.GPU{g}}})
}

// Samples in which the GPU is well, throttled, and throttled in a way that is told after 30 s.
var (
	well = wire.GPU{}
	hot  = wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Throttle: 0})}
	warm = wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Throttle: 30})}
	ecc  = wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 1})}
)

// samples sends one each 3 s, the first at from, the last before to.
func (w world) samples(from, to float64, g wire.GPU) {
	for sec := from; sec < to; sec += 3 {
		w.sample(sec, "a", g)
	}
}

func oneNode(minors ...int) world {
	w := newWorld()
	job := Job{ID: "1", Nodes: []string{"a"}}
	if minors != nil {
		job.Minors = map[string][]int{"a": minors}
	}
	w.jobs(0, job)
	w.try(0, "a")
	w.hello(0, "a", 1)
	return w
}

// expect holds what is told of the first job at a time to a line for each finding: kind, where, since when to when, how often.
func (w world) expect(t *testing.T, sec float64, want string) {
	t.Helper()
	job := w.Snapshot(at(sec)).Jobs[0]
	got := list(job.Findings)
	if len(job.Cleared) > 0 {
		got += "; cleared: " + list(job.Cleared)
	}
	if got != want {
		t.Errorf("at %g s: %s\nwant: %s", sec, got, want)
	}
}

func list(findings []Finding) string {
	lines := make([]string, len(findings))
	for i, f := range findings {
		lines[i] = fmt.Sprintf("%s %s/%d %g-", f.Kind, f.Node, f.GPU, f.Since.Sub(t0).Seconds())
		if !f.Holds() {
			lines[i] += fmt.Sprintf("%g", f.Over.Sub(t0).Seconds())
		}
		if f.Times != 1 {
			lines[i] += fmt.Sprintf(" x%d", f.Times)
		}
	}
	return strings.Join(lines, ", ")
}

// What is over stays for a minute, is told as cleared for an hour, and then is forgotten.
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

// What comes and goes with each sample is one finding with one age.
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
}

// A condition that is told late is not told, kept or aged for the time before.
func TestLateFindings(t *testing.T) {
	w := oneNode()
	w.samples(300, 330, warm)
	w.expect(t, 329, "")
	w.expect(t, 336, "") // no sample says more
	w.sample(330, "a", warm)
	w.expect(t, 330, "thermal a/0 300-")
	w.sample(333, "a", well)
	w.sample(336, "a", warm) // what was told is told again at once
	w.expect(t, 336, "thermal a/0 300- x2")
}

// A condition that comes and goes is told when it has held for more than it has not, and one that is rare never.
func TestFlappingIsToldLate(t *testing.T) {
	for _, tc := range []struct {
		name    string
		on, off int     // samples, each 3 s
		told    float64 // after that time it is told; 0: never
		since   float64
	}{
		{"always", 1, 0, 30, 0}, {"two of three", 2, 1, 57, 0}, {"every other", 1, 1, 114, 6}, {"one of three", 1, 2, 0, 0}, {"one of ten", 1, 9, 0, 0},
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

// One sample is nothing, and neither is one now and then, even where the next one would be told.
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

// What the first report of a node has was there before: nobody knows since when. A call that hangs says so itself.
func TestBeforeWeLooked(t *testing.T) {
	w := oneNode(0, 1)
	w.samples(0, 6, ecc)
	w.sample(6, "a", hot)
	for _, f := range w.Snapshot(at(6)).Jobs[0].Findings {
		if want := f.Kind == KindMissing || f.Kind == KindECC; f.Before != want {
			t.Errorf("%s: before %v", f.Kind, f.Before)
		}
	}
	w.down(7, "a", reach.ClassClosed)
	w.try(8, "a")
	w.hello(8, "a", 2)
	w.sample(9, "a", ecc) // the same spell goes on
	w.samples(12, 90, well)
	w.sample(90, "a", ecc) // a new one
	job := w.Snapshot(at(90)).Jobs[0]
	if len(job.Findings) != 1 || job.Findings[0].Before {
		t.Errorf("now: %+v", job.Findings)
	}
	for _, f := range job.Cleared {
		if want := f.Kind == KindMissing || f.Kind == KindECC; f.Before != want {
			t.Errorf("cleared %s: before %v", f.Kind, f.Before)
		}
	}
	w = newWorld()
	w.jobs(0, Job{ID: "1", Nodes: []string{"a"}})
	w.try(0, "a")
	w.down(1, "a", reach.ClassRefused)
	if f := w.Snapshot(at(2)).Jobs[0].Findings; len(f) != 1 || f[0].Before {
		t.Errorf("a failure that was seen to begin: %+v", f)
	}
}

// What happens while no report comes is not known: it brings nothing nearer to being told.
func TestSilenceTellsNothing(t *testing.T) {
	w := oneNode()
	for sec := 0.0; sec < 900; sec += 60 {
		w.sample(sec, "a", warm)
		if list := list(w.Snapshot(at(sec)).Jobs[0].Findings); strings.Contains(list, "thermal") {
			t.Fatalf("at %g s: %s", sec, list)
		}
	}
}

// A driver that takes 14 s to answer makes no node stale; a node that says it takes hours is stale when it is silent.
func TestASlowDriver(t *testing.T) {
	w := oneNode()
	for sec := 0.0; sec < 600; sec += 14 {
		w.Apply(Event{At: at(sec), Node: "a", Report: &wire.Report{MonoMS: int64(sec * 1000), TookMS: 14_000}})
		for _, after := range []float64{0.1, 13.9} {
			if n := w.node(sec+after, "a"); n.State != NodeReporting || !n.Since.Equal(at(0)) {
				t.Fatalf("at %g s: %s since %v", sec+after, n.State, n.Since.Sub(t0))
			}
		}
	}
	w.Apply(Event{At: at(600), Node: "a", Report: &wire.Report{TookMS: 7_200_000}})
	if n := w.node(600+181, "a"); n.State != NodeStale {
		t.Errorf("a silent node is %s", n.State)
	}
}

// What one rule would tell late is told when another one tells it at once, and stays.
func TestTheSoonerRuleCounts(t *testing.T) {
	w := oneNode()
	w.samples(0, 9, warm)
	w.expect(t, 9, "")
	w.sample(9, "a", hot)
	w.sample(12, "a", warm)
	w.expect(t, 12, "thermal a/0 0-")
}

func TestANodeOverTime(t *testing.T) {
	w := oneNode()
	w.expect(t, 2, "connecting a/-1 0-")
	w.down(3, "a", reach.ClassRefused)
	w.expect(t, 3, "node_failed a/-1 3-")
	w.try(20, "a")
	w.hello(20, "a", 1)
	w.sample(21, "a", well)
	w.expect(t, 21, "node_failed a/-1 3-21")
	w.samples(24, 90, well)
	w.expect(t, 90, "; cleared: node_failed a/-1 3-21")
	w.expect(t, 97, "node_stale a/-1 87-; cleared: node_failed a/-1 3-21") // nobody has said so
	w.sample(100, "a", well)
	w.expect(t, 101, "node_stale a/-1 87-100; cleared: node_failed a/-1 3-21")
	w.samples(103, 170, well)
	w.expect(t, 170, "; cleared: node_stale a/-1 87-100, node_failed a/-1 3-21")
}

// A session that is lost and comes back is a silence; one that does not come back is a failure, and nothing that is over then matters.
func TestALostSession(t *testing.T) {
	w := oneNode()
	w.samples(0, 9, hot)
	w.sample(9, "a", ecc)
	w.down(10, "a", reach.ClassClosed)
	w.expect(t, 11, "node_stale a/-1 9-, ecc a/0 9-")
	w.expect(t, 31, "node_failed a/-1 9-") // since its last numbers
	w.try(40, "a")
	w.hello(40, "a", 1)
	w.sample(41, "a", well)
	w.expect(t, 41, "node_failed a/-1 9-41, node_stale a/-1 9-10, ecc a/0 9-9, thermal a/0 0-6")
}

// While a node says nothing, nobody knows that what held is over.
func TestSilenceEndsNothing(t *testing.T) {
	w := oneNode()
	w.sample(0, "a", hot)
	w.expect(t, 60, "node_stale a/-1 0-, thermal a/0 0-")
	w.sample(90, "a", hot)
	w.expect(t, 90, "thermal a/0 0-, node_stale a/-1 0-90")
}

func TestWhereAGPUIsLostNothingElseMatters(t *testing.T) {
	w := oneNode()
	w.samples(0, 6, hot)
	w.sample(6, "a", wire.GPU{Lost: "GPU is lost"})
	w.expect(t, 6, "gpu_lost a/0 6-")
	w.sample(9, "a", well)
	w.expect(t, 9, "gpu_lost a/0 6-6, thermal a/0 0-3")
}

// A driver that goes away takes the GPUs along: what they had is told as cleared, with the number that they had.
func TestAbsentGPUs(t *testing.T) {
	w := oneNode(0)
	w.sample(0, "a", hot)
	w.Apply(Event{At: at(1), Node: "a", Hello: &wire.Hello{Fault: "driver not loaded"}})
	w.Apply(Event{At: at(3), Node: "a", Report: &wire.Report{MonoMS: 4000}})
	w.expect(t, 3, "no_driver a/-1 3-")
	w.expect(t, 50, "node_stale a/-1 3-") // nobody knows of the driver
	w.Apply(Event{At: at(63), Node: "a", Report: &wire.Report{MonoMS: 64000}})
	w.expect(t, 63, "no_driver a/-1 3-, node_stale a/-1 3-63; cleared: thermal a/0 0-0")
}

func TestOnlyTheJobsOwn(t *testing.T) {
	w := newWorld()
	w.jobs(0,
		Job{ID: "1", Nodes: []string{"a"}, Minors: map[string][]int{"a": {3}}},
		Job{ID: "2", Nodes: []string{"a"}, Minors: map[string][]int{"a": {0}}},
		Job{ID: "3", Nodes: []string{"a"}, Minors: map[string][]int{"a": {}}})
	w.try(0, "a")
	w.hello(0, "a", 1)
	w.sample(0, "a", hot)
	w.sample(3, "a", well)
	w.Apply(Event{At: at(61), Node: "a", Hello: &wire.Hello{Fault: "driver not loaded"}})
	w.Apply(Event{At: at(61), Node: "a", Report: &wire.Report{MonoMS: 62000}})
	for i, want := range []string{"no_driver a/-1 61-, gpu_missing a/-1 0-3|", "no_driver a/-1 61-|thermal a/0 0-0", "|"} {
		job := w.Snapshot(at(61)).Jobs[i]
		findings := slices.DeleteFunc(job.Findings, func(f Finding) bool { return f.Kind == KindStale })
		if got := list(findings) + "|" + list(job.Cleared); got != want {
			t.Errorf("job %s: %s, want %s", job.ID, got, want)
		}
	}
}

func TestOrder(t *testing.T) {
	w := newWorld()
	w.jobs(0, Job{ID: "1", Nodes: []string{"f", "a", "b", "c", "d", "e"}})
	for _, n := range []string{"a", "b"} {
		w.try(0, n)
		w.hello(0, n, 1)
	}
	w.sample(1, "a", wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Throttle: 0, metric.SMActive: 10})})
	w.sample(2, "b", hot)
	w.try(0, "c")
	w.down(3, "f", reach.ClassAdopt)
	w.down(3, "d", reach.ClassAdopt)
	w.down(2, "e", reach.ClassRefused)
	const want = "node_failed d/-1 3-, node_failed f/-1 3-, node_failed e/-1 2-, lag a/0 1-, thermal b/0 2-, thermal a/0 1-, connecting c/-1 0-"
	w.expect(t, 4, want)
	w.sample(4, "b", well) // a cleared one comes after all that hold
	w.expect(t, 4, strings.Replace(want, "thermal b/0 2-, ", "", 1)+", thermal b/0 2-2")
}

// The same Events give the same findings, whenever somebody looked meanwhile.
func TestLooksChangeNothing(t *testing.T) {
	events := chaos(2000)
	run := func(look bool) *Snapshot {
		w := newWorld()
		w.jobs(0, Job{ID: "1", Nodes: []string{"a", "b"}})
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
func chaos(n int) []Event {
	r := rand.New(rand.NewPCG(1, 1))
	states := []wire.GPU{well, well, hot, warm, ecc, {Lost: "GPU is lost"}}
	var out []Event
	sec, mono := 0.0, int64(0)
	for range n {
		node := []string{"a", "b"}[r.IntN(2)]
		sec += float64(r.IntN(12))
		mono += 3000
		e := Event{At: at(sec), Node: node}
		switch r.IntN(12) {
		case 0:
			e.Down = &Down{Failure: reach.Failure{Class: reach.ClassClosed}}
		case 1:
			e.Try = &Try{Interval: 3 * time.Second}
		case 2:
			e.Hello = &wire.Hello{GPUs: []wire.Card{{UUID: "x", Minor: new(0)}}}
		default:
			e.Report = &wire.Report{MonoMS: mono, GPUs: []wire.GPU{states[r.IntN(len(states))]}}
		}
		out = append(out, e)
	}
	return out
}

// A node that shows other GPUs with each hello, all of them in trouble, does not fill the memory.
func TestTroubleIsBounded(t *testing.T) {
	w := newWorld()
	w.jobs(0, Job{ID: "1", Nodes: []string{"a"}})
	w.try(0, "a")
	for round := range 40 {
		h, r := &wire.Hello{}, &wire.Report{MonoMS: int64(round+1) * 3000}
		for i := range maxGPUs {
			h.GPUs = append(h.GPUs, wire.Card{Index: i, UUID: fmt.Sprintf("%d-%d", round, i)})
			r.GPUs = append(r.GPUs, wire.GPU{Index: i, Values: metric.Make(map[metric.ID]float64{metric.Throttle: 0, metric.ECCUncorrected: 1})})
		}
		w.Apply(Event{At: at(float64(61 * round)), Node: "a", Hello: h})
		w.Apply(Event{At: at(float64(61 * round)), Node: "a", Report: r})
	}
	if n := len(w.nodes["a"].troubles.gpus); n > 2*maxGPUs {
		t.Errorf("%d GPUs are remembered", n)
	}
	if n := len(w.nodes["a"].known); n > 2*maxGPUs {
		t.Errorf("the histories of %d GPUs are kept", n)
	}
	job := w.Snapshot(at(61 * 39)).Jobs[0]
	if len(job.Findings) > 2*maxGPUs+1 || len(job.Cleared) != maxCleared {
		t.Errorf("%d findings, %d cleared", len(job.Findings), len(job.Cleared))
	}
	for _, c := range job.Cleared[1:] {
		if c.Over.After(job.Cleared[0].Over) {
			t.Fatal("the latest ones are not kept")
		}
	}
}

// Of a GPU that is well again, nothing is kept.
func TestTroubleIsForgotten(t *testing.T) {
	w := oneNode()
	w.sample(0, "a", hot)
	w.samples(3, 3700, well)
	if n := len(w.nodes["a"].troubles.gpus); n > 0 {
		t.Errorf("%d GPUs are remembered", n)
	}
}

// What is kept for a job on a node goes with the job, and jobs that have nothing to tell cost nothing.
func TestTroubleOfJobs(t *testing.T) {
	w := newWorld()
	var jobs []Job
	for i := range 100 {
		jobs = append(jobs, Job{ID: fmt.Sprint(i), Nodes: []string{"a"}, Minors: map[string][]int{"a": {0, i % 2}}})
	}
	w.jobs(0, jobs...)
	w.try(0, "a")
	w.hello(0, "a", 1)
	w.sample(0, "a", well)
	for i := range 2 {
		if f := list(w.Snapshot(at(0)).Jobs[i].Findings); f != []string{"", "gpu_missing a/-1 0-"}[i] {
			t.Errorf("job %d: %s", i, f)
		}
	}
	if n := len(w.nodes["a"].troubles.jobs); n != 50 {
		t.Errorf("%d jobs are remembered, want the 50 that lack a GPU", n)
	}
	w.jobs(3, jobs[1])
	w.sample(3, "a", well)
	w.expect(t, 3, "gpu_missing a/-1 0-")
	if n := len(w.nodes["a"].troubles.jobs); n != 1 {
		t.Errorf("%d jobs are remembered, want 1", n)
	}
}

// many is a cluster of nodes with 8 GPUs each, of which one in every is in trouble and one more was.
func many(nodes, every int) world {
	w := newWorld()
	job := Job{ID: "1"}
	for i := range nodes {
		name := fmt.Sprintf("n%04d", i)
		job.Nodes = append(job.Nodes, name)
		w.try(0, name)
		w.hello(0, name, 8)
		for sec := range 3 {
			r := &wire.Report{MonoMS: 1000 + int64(sec*3000)}
			for k := range 8 {
				g := wire.GPU{Index: k, Values: metric.Make(map[metric.ID]float64{metric.Util: 97})}
				if (8*i+k)%every == 0 {
					g.Values.Set(metric.Throttle, 0)
				}
				if (8*i+k)%every == every/2 && sec == 1 {
					g.Values.Set(metric.ECCUncorrected, 1)
				}
				r.GPUs = append(r.GPUs, g)
			}
			w.Apply(Event{At: at(float64(3 * sec)), Node: name, Report: r})
		}
	}
	w.jobs(6, job)
	return w
}

func BenchmarkSnapshot(b *testing.B) {
	for _, size := range []struct{ nodes, every int }{{64, 1 << 20}, {1000, 1 << 20}, {1000, 100}, {1000, 8}, {1000, 1}} {
		b.Run(fmt.Sprintf("%dx8-one-in-%d", size.nodes, size.every), func(b *testing.B) {
			w := many(size.nodes, size.every)
			for b.Loop() {
				w.Snapshot(at(7))
			}
		})
	}
}
