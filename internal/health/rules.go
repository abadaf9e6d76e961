// Package health knows what can be wrong and how that is said: rules.go has a row for each thing, say.go its words.
//
// Both are functions of what they are given. Rules see one moment of a node or a GPU; cluster.Store asks them with each Event and keeps the
// time. Say reads the evidence (a temperature, a clock) from the Snapshot, when something is to be drawn. Everything here may be called
// from any number of goroutines. Strings from nodes have been made fit for a screen before they come here.
package health

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// rule is one thing that can be wrong.
type rule struct {
	kind     cluster.Kind
	scope    cluster.Scope
	severity cluster.Severity
	holds    func(*cluster.Node, *cluster.GPU) bool // the GPU is nil except in cluster.ScopeGPU
	after    time.Duration                          // how long it holds before it is told
	ofGPUs   bool                                   // it concerns only jobs that have GPUs on the node
	only     bool                                   // where it holds, the rules of its scope below it do not count
}

const (
	// briefHeat is how long the driver may lower the clocks because of the temperature before that is worth a word: it is the driver's work.
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

func is(state cluster.NodeState) func(*cluster.Node, *cluster.GPU) bool {
	return func(n *cluster.Node, _ *cluster.GPU) bool { return n.State == state }
}

func noDriver(n *cluster.Node, _ *cluster.GPU) bool { return n.Hello.Fault != "" }
func oldDriver(n *cluster.Node, _ *cluster.GPU) bool {
	return n.Hello.Fault == "" && len(n.Hello.Missing) > 0
}
func collectorFails(n *cluster.Node, _ *cluster.GPU) bool { return len(n.Faults) > 0 }

func lost(_ *cluster.Node, g *cluster.GPU) bool         { return g.Lost != "" }
func memoryErrors(_ *cluster.Node, g *cluster.GPU) bool { return g.Float(metric.ECCUncorrected) > 0 }

// throttled is a rule on the driver's reasons for lower clocks: one of bits is among them.
func throttled(bits uint64) func(*cluster.Node, *cluster.GPU) bool {
	return func(_ *cluster.Node, g *cluster.GPU) bool { return reasons(g)&bits != 0 }
}

// unnamedSlowdown is the hardware's own slowdown when none of its causes is told.
func unnamedSlowdown(_ *cluster.Node, g *cluster.GPU) bool {
	return reasons(g)&wire.ThrottleHWSlowdown != 0 && reasons(g)&(wire.ThrottleHWThermal|wire.ThrottleHWPowerBrake) == 0
}

func reasons(g *cluster.GPU) uint64 {
	bits, _ := g.Get(metric.Throttle)
	return uint64(bits)
}

// Holding is the cluster.Rules of this program.
func Holding(scope cluster.Scope, n *cluster.Node, g *cluster.GPU) []cluster.Condition {
	var held []cluster.Condition
	for i := range rules {
		r := &rules[i]
		if r.scope != scope || len(held) > 0 && held[len(held)-1].Kind == r.kind || !r.holds(n, g) {
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
