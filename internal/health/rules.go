package health

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// New returns the Rules that a cluster.Store asks.
func New() cluster.Rules { return table{} }

// rule is one thing that can be wrong.
type rule struct {
	kind     cluster.Kind
	scope    cluster.Scope
	severity cluster.Severity
	holds    func(sample) bool
	after    time.Duration // how long it holds before it is told
	ofGPUs   bool          // it concerns only jobs that have GPUs on the node
	only     bool          // where it holds, the rules of its scope below it do not count
}

// sample is what a rule looks at. gpu is nil but in cluster.ScopeGPU.
type sample struct {
	node *cluster.Node
	gpu  *cluster.GPU
}

const (
	// briefHeat is how long the driver may lower the clocks for the temperature's sake before it is worth a word: that is its work.
	briefHeat = 30 * time.Second

	// moreThanOnce leaves out what one sample alone has: a change of clocks may look like that.
	moreThanOnce = time.Nanosecond
)

// rules are in order: the worst first within a scope. One kind may have several rows: the one that tells it soonest counts.
var rules = []rule{
	{kind: cluster.KindFailed, scope: cluster.ScopeReach, severity: cluster.Critical, holds: is(cluster.NodeFailed)},
	{kind: cluster.KindStale, scope: cluster.ScopeReach, severity: cluster.Warning, holds: is(cluster.NodeStale)},
	{kind: cluster.KindConnecting, scope: cluster.ScopeReach, severity: cluster.Waiting, holds: is(cluster.NodeConnecting)},

	{kind: cluster.KindNoDriver, scope: cluster.ScopeReport, severity: cluster.Critical, holds: noDriver, ofGPUs: true},
	{kind: cluster.KindOldDriver, scope: cluster.ScopeReport, severity: cluster.Note, holds: oldDriver, ofGPUs: true},
	{kind: cluster.KindFault, scope: cluster.ScopeReport, severity: cluster.Note, holds: collectorFails},

	{kind: cluster.KindLost, scope: cluster.ScopeGPU, severity: cluster.Critical, holds: lost, only: true},
	{kind: cluster.KindECC, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: memoryErrors},
	{kind: cluster.KindThermal, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: throttled(wire.ThrottleHWThermal)},
	{kind: cluster.KindThermal, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: throttled(wire.ThrottleSWThermal), after: briefHeat},
	{kind: cluster.KindPowerBrake, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: throttled(wire.ThrottleHWPowerBrake)},
	{kind: cluster.KindSlowdown, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: unnamedSlowdown, after: moreThanOnce},
}

func is(state cluster.NodeState) func(sample) bool {
	return func(s sample) bool { return s.node.State == state }
}

func noDriver(s sample) bool  { return s.node.Hello.Fault != "" }
func oldDriver(s sample) bool { return !noDriver(s) && len(s.node.Hello.Missing) > 0 }

func collectorFails(s sample) bool { return len(s.node.Faults) > 0 }

func lost(s sample) bool         { return s.gpu.Lost != "" }
func memoryErrors(s sample) bool { return s.gpu.Float(metric.ECCUncorrected) > 0 }

// throttled is a rule on the driver's reasons for lower clocks: one of bits is among them.
func throttled(bits uint64) func(sample) bool {
	return func(s sample) bool {
		reasons, _ := s.gpu.Get(metric.Throttle)
		return uint64(reasons)&bits != 0
	}
}

// unnamedSlowdown is the hardware's own slowdown when none of its causes is told.
func unnamedSlowdown(s sample) bool {
	return throttled(wire.ThrottleHWSlowdown)(s) && !throttled(wire.ThrottleHWThermal|wire.ThrottleHWPowerBrake)(s)
}

// table is rules as a cluster.Store asks for them.
type table struct{}

// Holding implements cluster.Rules.
func (table) Holding(scope cluster.Scope, n *cluster.Node, g *cluster.GPU) []cluster.Condition {
	var held []cluster.Condition
	s := sample{n, g}
	for i := range rules {
		r := &rules[i]
		if r.scope != scope || len(held) > 0 && held[len(held)-1].Kind == r.kind || !r.holds(s) {
			continue
		}
		held = append(held, r.condition(n))
		if r.only {
			break
		}
	}
	return held
}

// condition is what the rule says of the node. How a node is reached has a beginning and a class of its own.
func (r *rule) condition(n *cluster.Node) cluster.Condition {
	c := cluster.Condition{Kind: r.kind, Severity: r.severity, After: r.after, OfGPUs: r.ofGPUs}
	if r.scope != cluster.ScopeReach {
		return c
	}
	c.Since = n.Since
	if n.Failure != nil {
		c.Class = n.Failure.Class
	} else if r.kind == cluster.KindStale {
		c.Class = reach.ClassSilent
	}
	return c
}
