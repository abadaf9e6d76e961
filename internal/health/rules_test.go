package health

import (
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// sample is what rules look at.
type sample struct {
	node *cluster.Node
	gpu  *cluster.GPU
}

func node(state cluster.NodeState) sample { return sample{node: &cluster.Node{State: state}} }

func hello(h wire.Hello) sample { return sample{node: &cluster.Node{Hello: &h}} }

func faults(f ...wire.Fault) sample {
	return sample{node: &cluster.Node{Hello: &wire.Hello{}, Faults: f}}
}

func gpu(g wire.GPU) sample {
	return sample{&cluster.Node{Hello: &wire.Hello{}}, &cluster.GPU{GPU: g}}
}

func bits(b uint64) sample {
	return gpu(wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.Throttle: float64(b)})})
}

// alarms has for each rule, in order, a sample that it is there for, and one that only looks like that.
var alarms = []struct {
	kind     cluster.Kind
	yes, not sample
}{
	{cluster.KindFailed, node(cluster.NodeFailed), node(cluster.NodeStale)},
	{cluster.KindStale, node(cluster.NodeStale), node(cluster.NodeReporting)},
	{cluster.KindConnecting, node(cluster.NodeConnecting), node(cluster.NodeReporting)},
	{cluster.KindNoDriver, hello(wire.Hello{Fault: "no library", Missing: []string{"x"}}), hello(wire.Hello{Missing: []string{"x"}})},
	{cluster.KindOldDriver, hello(wire.Hello{Missing: []string{"x"}}), hello(wire.Hello{Fault: "no library", Missing: []string{"x"}})},
	{cluster.KindFault, faults(wire.Fault{Collector: "host"}), faults()},
	{cluster.KindLost, gpu(wire.GPU{Lost: "GPU is lost"}), gpu(wire.GPU{})},
	{cluster.KindECC, gpu(wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 1})}), gpu(wire.GPU{Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 0})})},
	{cluster.KindThermal, bits(wire.ThrottleHWThermal | wire.ThrottleHWSlowdown), bits(wire.ThrottleHWSlowdown)},
	{cluster.KindThermal, bits(wire.ThrottleSWThermal), bits(wire.ThrottleSWPowerCap | wire.ThrottleGPUIdle)},
	{cluster.KindPowerBrake, bits(wire.ThrottleHWPowerBrake | wire.ThrottleHWSlowdown), bits(wire.ThrottleHWSlowdown | wire.ThrottleHWThermal)},
	{cluster.KindSlowdown, bits(wire.ThrottleHWSlowdown), bits(wire.ThrottleHWSlowdown | wire.ThrottleHWThermal)},
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
		if held := Holding(r.scope, a.yes.node, a.yes.gpu); !slices.Contains(held, r.condition(a.yes.node)) {
			t.Errorf("%s (after %v) does not hold where it should: %v", r.kind, r.after, held)
		}
		if held := Holding(r.scope, a.not.node, a.not.gpu); slices.ContainsFunc(held, func(c cluster.Condition) bool { return c.Kind == r.kind }) {
			t.Errorf("%s (after %v) is a false alarm: %v", r.kind, r.after, held)
		}
	}
}

func TestNothingKnownIsNothingWrong(t *testing.T) {
	s := gpu(wire.GPU{})
	for _, scope := range []cluster.Scope{cluster.ScopeReport, cluster.ScopeGPU} {
		if held := Holding(scope, s.node, s.gpu); len(held) > 0 {
			t.Errorf("%v", held)
		}
	}
}

// What is said of a lost GPU besides is of no account, and of one kind the row counts that tells it soonest.
func TestOneRowCounts(t *testing.T) {
	for name, s := range map[string]sample{
		"lost": gpu(wire.GPU{Lost: "GPU is lost", Values: metric.Make(map[metric.ID]float64{metric.ECCUncorrected: 1, metric.Throttle: wire.ThrottleHWThermal})}),
		"heat": bits(wire.ThrottleHWThermal | wire.ThrottleSWThermal),
	} {
		if held := Holding(cluster.ScopeGPU, s.node, s.gpu); len(held) != 1 || held[0].After != 0 {
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
		if held := Holding(cluster.ScopeReach, &tc.node, nil); len(held) != 1 || held[0].Class != tc.want || held[0].Since != t0 {
			t.Errorf("%s: %v, want the class %q and the state's beginning", tc.node.State, held, tc.want)
		}
	}
}
