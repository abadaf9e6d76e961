package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/clean"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// fewRules are enough to see the Store keep their time.
func fewRules(s cluster.Subject) []cluster.Condition {
	scope, n, g := s.Scope, s.Node, s.GPU
	switch {
	case scope == cluster.ScopeJob:
		if m := s.Job.Missing(n); m.Certain {
			return []cluster.Condition{{Kind: cluster.KindMissing, Severity: cluster.Critical}}
		}
		return nil
	case scope == cluster.ScopeReach && n.State == cluster.NodeFailed:
		return []cluster.Condition{{Kind: cluster.KindFailed, Class: n.Failure.Class, Severity: cluster.Critical,
			Since: n.Since}}
	case scope == cluster.ScopeReach && n.State == cluster.NodeStale:
		return []cluster.Condition{{Kind: cluster.KindStale, Severity: cluster.Warning, Since: n.Since}}
	case scope == cluster.ScopeReach && n.State == cluster.NodeConnecting:
		return []cluster.Condition{{Kind: cluster.KindConnecting, Severity: cluster.Waiting, Since: n.Since}}
	case scope == cluster.ScopeReport && n.Hello.Fault != "":
		return []cluster.Condition{{Kind: cluster.KindNoDriver, Severity: cluster.Critical, OfGPUs: true}}
	case scope != cluster.ScopeGPU:
		return nil
	case g.Lost != "":
		return []cluster.Condition{{Kind: cluster.KindLost, Severity: cluster.Critical}}
	}
	var held []cluster.Condition
	if g.Values.Has(metric.ECCUncorrected) {
		held = append(held, cluster.Condition{Kind: cluster.KindECC, Severity: cluster.Warning})
	}
	if g.Values.Has(metric.SMActive) {
		held = append(held, cluster.Condition{Kind: cluster.KindLag, Severity: cluster.Warning})
	}
	if g.Values.Has(metric.DRAMActive) {
		held = append(held, cluster.Condition{Kind: cluster.KindThermal, Unclear: true})
	}
	if seconds, known := g.Get(metric.Throttle); known {
		held = append(held, cluster.Condition{Kind: cluster.KindThermal, Severity: cluster.Warning,
			After: time.Duration(seconds) * time.Second})
	}
	return held
}

// sample sends a report of one GPU.
func (w world) sample(sec float64, node string, g wire.GPU) {
	w.Apply(cluster.Event{At: at(sec), Node: node, Report: &wire.Report{MonoMS: 1000 + int64(sec*1000),
		GPUs: []wire.GPU{g}}})
}

// Samples of a GPU that is well, throttled, throttled for a reason that is reported after 30 s, and throttled or not:
// unclear.
var (
	well = wire.GPU{}
	hot  = wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Throttle: 0})}
	warm = wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Throttle: 30})}
	dim  = wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.DRAMActive: 1})}
	ecc  = wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 1})}
)

// samples sends a sample every 3 s, the first at from, the last before to.
func (w world) samples(from, to float64, g wire.GPU) {
	for sec := from; sec < to; sec += 3 {
		w.sample(sec, "a", g)
	}
}

func oneNode(minors ...int) world {
	w := newWorld()
	job := cluster.Job{ID: "1", Nodes: []string{"a"}}
	if minors != nil {
		job.Minors = map[string][]int{"a": minors}
	}
	w.jobs(0, job)
	w.try(0, "a")
	w.hello(0, "a", 1)
	return w
}

// expect compares the findings of the first job at a time with a line each: kind, place, since when to when, how often.
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

func list(findings []cluster.Finding) string {
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

// A driver that takes 14 s to answer makes no node stale; a node that says it takes hours is stale when it is silent.
func TestASlowDriver(t *testing.T) {
	w := oneNode()
	for sec := 0.0; sec < 600; sec += 14 {
		w.Apply(cluster.Event{At: at(sec), Node: "a", Report: &wire.Report{MonoMS: int64(sec * 1000), TookMS: 14_000}})
		for _, after := range []float64{0.1, 13.9} {
			if n := w.node(sec+after, "a"); n.State != cluster.NodeReporting || !n.Since.Equal(at(0)) {
				t.Fatalf("at %g s: %s since %v", sec+after, n.State, n.Since.Sub(t0))
			}
		}
	}
	w.Apply(cluster.Event{At: at(600), Node: "a", Report: &wire.Report{TookMS: 7_200_000}})
	if n := w.node(600+181, "a"); n.State != cluster.NodeStale {
		t.Errorf("a silent node is %s", n.State)
	}
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

// A lost session that comes back is a silence; a session that stays away is a failure, and no finding of its time
// matters then.
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

func TestWhereAGPUIsLostNothingElseMatters(t *testing.T) {
	w := oneNode()
	w.samples(0, 6, hot)
	w.sample(6, "a", wire.GPU{Lost: "GPU is lost"})
	w.expect(t, 6, "gpu_lost a/0 6-")
	w.sample(9, "a", well)
	w.expect(t, 9, "gpu_lost a/0 6-6, thermal a/0 0-3")
}

// A driver that goes away takes the GPUs along: their findings are cleared, with the numbers that they had.
func TestAbsentGPUs(t *testing.T) {
	w := oneNode(0)
	w.sample(0, "a", hot)
	w.Apply(cluster.Event{At: at(1), Node: "a", Hello: &wire.Hello{Fault: "driver not loaded"}})
	w.Apply(cluster.Event{At: at(3), Node: "a", Report: &wire.Report{MonoMS: 4000}})
	w.expect(t, 3, "no_driver a/-1 3-")
	w.expect(t, 50, "node_stale a/-1 3-") // nobody knows of the driver
	w.Apply(cluster.Event{At: at(63), Node: "a", Report: &wire.Report{MonoMS: 64000}})
	w.expect(t, 63, "no_driver a/-1 3-, node_stale a/-1 3-63; cleared: thermal a/0 0-0")
}

func TestOnlyTheJobsOwn(t *testing.T) {
	w := newWorld()
	w.jobs(0,
		cluster.Job{ID: "1", Nodes: []string{"a"}, Minors: map[string][]int{"a": {3}}},
		cluster.Job{ID: "2", Nodes: []string{"a"}, Minors: map[string][]int{"a": {0}}},
		cluster.Job{ID: "3", Nodes: []string{"a"}, Minors: map[string][]int{"a": {}}})
	w.try(0, "a")
	w.hello(0, "a", 1)
	w.sample(0, "a", hot)
	w.sample(3, "a", well)
	w.Apply(cluster.Event{At: at(61), Node: "a", Hello: &wire.Hello{Fault: "driver not loaded"}})
	w.Apply(cluster.Event{At: at(61), Node: "a", Report: &wire.Report{MonoMS: 62000}})
	for i, want := range []string{"no_driver a/-1 61-, gpu_missing a/-1 0-3|", "no_driver a/-1 61-|thermal a/0 0-0",
		"|"} {
		job := w.Snapshot(at(61)).Jobs[i]
		findings := slices.DeleteFunc(job.Findings, func(f cluster.Finding) bool { return f.Kind == cluster.KindStale })
		if got := list(findings) + "|" + list(job.Cleared); got != want {
			t.Errorf("job %s: %s, want %s", job.ID, got, want)
		}
	}
}

func TestOrder(t *testing.T) {
	w := newWorld()
	w.jobs(0, cluster.Job{ID: "1", Nodes: []string{"f", "a", "b", "c", "d", "e"}})
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
	const want = "node_failed d/-1 3-, node_failed f/-1 3-, node_failed e/-1 2-, lag a/0 1-, thermal b/0 2-, thermal " +
		"a/0 1-, connecting c/-1 0-"
	w.expect(t, 4, want)
	w.sample(4, "b", well) // a cleared finding comes after all present ones
	w.expect(t, 4, strings.Replace(want, "thermal b/0 2-, ", "", 1)+", thermal b/0 2-2")
}

// A node that shows other GPUs with each hello, all of them in trouble, does not fill the memory.
func TestTroubleIsBounded(t *testing.T) {
	w := newWorld()
	w.jobs(0, cluster.Job{ID: "1", Nodes: []string{"a"}})
	w.try(0, "a")
	for round := range 40 {
		h, r := &wire.Hello{}, &wire.Report{MonoMS: int64(round+1) * 3000}
		for i := range clean.MaxGPUs {
			h.GPUs = append(h.GPUs, wire.Card{Index: i, UUID: fmt.Sprintf("%d-%d", round, i)})
			r.GPUs = append(r.GPUs, wire.GPU{Index: i,
				Values: metric.Make(map[metric.ID]float64{metric.Throttle: 0, metric.ECCUncorrected: 1})})
		}
		w.Apply(cluster.Event{At: at(float64(61 * round)), Node: "a", Hello: h})
		w.Apply(cluster.Event{At: at(float64(61 * round)), Node: "a", Report: r})
	}
	if n := len(w.nodes["a"].troubles.gpus); n > 2*clean.MaxGPUs {
		t.Errorf("%d GPUs are remembered", n)
	}
	if n := len(w.nodes["a"].known); n > 2*clean.MaxGPUs {
		t.Errorf("the histories of %d GPUs are kept", n)
	}
	job := w.Snapshot(at(61 * 39)).Jobs[0]
	if len(job.Findings) > 2*clean.MaxGPUs+1 || len(job.Cleared) != maxCleared {
		t.Errorf("%d findings, %d cleared", len(job.Findings), len(job.Cleared))
	}
	for _, c := range job.Cleared[1:] {
		if c.Over.After(job.Cleared[0].Over) {
			t.Fatal("the latest ones are not kept")
		}
	}
}

// A GPU that is well again leaves nothing behind.
func TestTroubleIsForgotten(t *testing.T) {
	w := oneNode()
	w.sample(0, "a", hot)
	w.samples(3, 3700, well)
	if n := len(w.nodes["a"].troubles.gpus); n > 0 {
		t.Errorf("%d GPUs are remembered", n)
	}
}

// The state of a job on a node goes with the job, and jobs without findings cost nothing.
func TestTroubleOfJobs(t *testing.T) {
	w := newWorld()
	var jobs []cluster.Job
	for i := range 100 {
		jobs = append(jobs, cluster.Job{ID: fmt.Sprint(i), Nodes: []string{"a"},
			Minors: map[string][]int{"a": {0, i % 2}}})
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
