package health

import (
	"slices"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func node(state cluster.NodeState) cluster.Subject {
	return cluster.Subject{Scope: cluster.ScopeReach, Node: &cluster.Node{State: state}}
}

func hello(h wire.Hello) cluster.Subject {
	return cluster.Subject{Scope: cluster.ScopeReport, Node: &cluster.Node{Hello: &h}}
}

// report is a node with what its last report changes.
func report(change func(*cluster.Node)) cluster.Subject {
	n := &cluster.Node{Hello: &wire.Hello{}, Interval: 3 * time.Second}
	change(n)
	return cluster.Subject{Scope: cluster.ScopeReport, Node: n}
}

func faults(f ...wire.Fault) cluster.Subject {
	return report(func(n *cluster.Node) { n.Faults = f })
}

// gpuFault is GPU 1 on a node where something cannot be read of the GPUs at these indices.
func gpuFault(of ...int) cluster.Subject {
	s := faults(wire.Fault{Collector: "power", GPUs: of})
	s.Scope, s.GPU = cluster.ScopeGPU, &cluster.GPU{Card: wire.Card{Index: 1}}
	return s
}

func gpu(g wire.GPU) cluster.Subject {
	return cluster.Subject{Scope: cluster.ScopeGPU, Node: &cluster.Node{Hello: &wire.Hello{}, Arrived: t0}, GPU: &cluster.GPU{GPU: g}}
}

func bits(b uint64) cluster.Subject {
	return gpu(wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Throttle: float64(b)})})
}

// job is a job with these minors, on a node that shows GPUs of these numbers to a probe in that job's cgroup.
func job(cgroup string, minors, shown []int) cluster.Subject {
	n := &cluster.Node{Name: "a", State: cluster.NodeReporting, Hello: &wire.Hello{Job: cgroup}}
	for i, minor := range shown {
		n.GPUs = append(n.GPUs, cluster.GPU{Number: minor, Card: wire.Card{Index: i, Minor: &minor}})
	}
	return cluster.Subject{Scope: cluster.ScopeJob, Node: n, Job: &cluster.Job{ID: "1", Number: "1", Nodes: []string{"a"}, Minors: map[string][]int{"a": minors}}}
}

// alarms has for each rule, in order, a sample that it is there for, and one that only looks like that.
var alarms = []struct {
	kind     cluster.Kind
	yes, not cluster.Subject
}{
	{cluster.KindFailed, node(cluster.NodeFailed), node(cluster.NodeStale)},
	{cluster.KindStale, node(cluster.NodeStale), node(cluster.NodeReporting)},
	{cluster.KindConnecting, node(cluster.NodeConnecting), node(cluster.NodeReporting)},
	{cluster.KindNoDriver, hello(wire.Hello{Fault: "no library", Missing: []string{"x"}}), hello(wire.Hello{Missing: []string{"x"}})},
	{cluster.KindOldDriver, hello(wire.Hello{Missing: []string{"x"}}), hello(wire.Hello{Fault: "no library", Missing: []string{"x"}})},
	{cluster.KindSlow, report(func(n *cluster.Node) { n.Took = 14 * time.Second }), report(func(n *cluster.Node) { n.Took = 2 * time.Second })},
	{cluster.KindFault, faults(wire.Fault{Collector: "host"}), faults(wire.Fault{Collector: "power", GPUs: []int{1}})},
	{cluster.KindLost, gpu(wire.GPU{Lost: "GPU is lost", LostID: wire.LostFellOff}), gpu(wire.GPU{Lost: "Timeout", LostID: wire.LostTimeout})},
	{cluster.KindUnusable, gpu(wire.GPU{Lost: "Timeout", LostID: wire.LostTimeout}), gpu(wire.GPU{Lost: "reset required", LostID: wire.LostReset})},
	{cluster.KindHang, gpu(wire.GPU{HangsMS: 10_000}), gpu(wire.GPU{HangsMS: 9999})},
	{cluster.KindECC, gpu(wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 1})}), gpu(wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 0})})},
	{cluster.KindThermal, bits(wire.ThrottleHWThermal | wire.ThrottleHWSlowdown), bits(wire.ThrottleHWSlowdown)},
	{cluster.KindThermal, bits(wire.ThrottleSWThermal), bits(wire.ThrottleSWPowerCap | wire.ThrottleGPUIdle)},
	{cluster.KindPowerBrake, bits(wire.ThrottleHWPowerBrake | wire.ThrottleHWSlowdown), bits(wire.ThrottleHWSlowdown | wire.ThrottleHWThermal)},
	{cluster.KindSlowdown, bits(wire.ThrottleHWSlowdown), bits(wire.ThrottleHWSlowdown | wire.ThrottleHWThermal)},
	{cluster.KindFault, gpuFault(0, 1), gpuFault(0)},
	{cluster.KindHidden, job("2", []int{4}, []int{5}), job("2", []int{4}, []int{4, 5})},
	{cluster.KindMissing, job("", []int{4, 5}, []int{4}), job("", []int{4, 5}, []int{4, 5})},
	{cluster.KindMissing, job("", []int{0}, []int{1, 2}), job("1", []int{0}, []int{1})},
}

func TestEveryRule(t *testing.T) {
	if len(alarms) != len(rules) {
		t.Fatalf("%d rules, samples for %d", len(rules), len(alarms))
	}
	for i, r := range rules {
		a := alarms[i]
		if a.kind != r.kind {
			t.Fatalf("rule %d is on %s, its samples on %s", i, r.kind, a.kind)
		}
		if held := Rules(Defaults())(a.yes); !slices.Contains(held, r.condition(judged(a.yes))) {
			t.Errorf("%s (after %v) does not hold where it should: %v", r.kind, r.after, held)
		}
		if held := Rules(Defaults())(a.not); slices.ContainsFunc(held, func(c cluster.Condition) bool { return c.Kind == r.kind }) {
			t.Errorf("%s (after %v) is a false alarm: %v", r.kind, r.after, held)
		}
	}
}

func TestNothingKnownIsNothingWrong(t *testing.T) {
	s := gpu(wire.GPU{})
	for _, scope := range []cluster.Scope{cluster.ScopeReport, cluster.ScopeGPU} {
		s.Scope = scope
		if held := Rules(Defaults())(s); len(held) > 0 {
			t.Errorf("%v", held)
		}
	}
}

// What is said of a lost GPU besides is of no account, and of one kind the row counts that tells it soonest.
func TestOneRowCounts(t *testing.T) {
	for name, s := range map[string]cluster.Subject{
		"lost": gpu(wire.GPU{Lost: "GPU is lost", LostID: wire.LostFellOff, Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 1, metric.Throttle: wire.ThrottleHWThermal})}),
		"heat": bits(wire.ThrottleHWThermal | wire.ThrottleSWThermal),
	} {
		if held := Rules(Defaults())(s); len(held) != 1 || held[0].After != 0 {
			t.Errorf("%s: %v", name, held)
		}
	}
}

func TestHowANodeIsReached(t *testing.T) {
	closed := &reach.Failure{Class: reach.ClassClosed}
	for _, tc := range []struct {
		node cluster.Node
		want reach.Class
	}{
		{cluster.Node{State: cluster.NodeFailed, Failure: closed}, reach.ClassClosed},
		{cluster.Node{State: cluster.NodeStale, Failure: closed}, reach.ClassClosed},
		{cluster.Node{State: cluster.NodeStale}, reach.ClassSilent},
		{cluster.Node{State: cluster.NodeConnecting}, ""},
	} {
		tc.node.Since = t0
		if held := Rules(Defaults())(cluster.Subject{Node: &tc.node}); len(held) != 1 || held[0].Class != tc.want || held[0].Since != t0 {
			t.Errorf("%s: %v, want the class %q and the state's beginning", tc.node.State, held, tc.want)
		}
	}
}

// judged is a subject with the default thresholds.
func judged(s cluster.Subject) subject {
	limits := Defaults()
	return subject{s, &limits}
}
