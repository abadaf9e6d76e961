// Package health has the rules for problems and their text: rules.go has a row per problem, say_node.go and say_gpu.go the words.
//
// Everything here is a pure function and may be called from any number of goroutines. Rules look at one moment of a node, a GPU or a job;
// cluster.Store calls them with each Event and keeps the time. Say takes the evidence (a temperature, a clock) from the Snapshot when a
// finding is displayed. Strings from nodes are already safe to display.
package health

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// subject is what a rule looks at: something, and the numbers to compare it with.
type subject struct {
	cluster.Subject
	limits *Thresholds
}

// rule is one kind of problem.
type rule struct {
	kind     cluster.Kind
	scope    cluster.Scope
	severity cluster.Severity
	holds    func(subject) bool
	after    time.Duration // how long it holds before it is reported
	lasts    Threshold     // if set, this many seconds take the place of after
	ofGPUs   bool          // it matters only to jobs with GPUs on the node
	only     bool          // if it holds, the rules below it in its scope do not count
}

// moreThanOnce ignores a condition that only one sample has: a change of clocks may look like it.
const moreThanOnce = time.Nanosecond

// rules are sorted: the worst first within a scope. If several rows of one kind hold, the first counts.
var rules = []rule{
	{kind: cluster.KindFailed, scope: cluster.ScopeReach, severity: cluster.Critical, holds: is(cluster.NodeFailed)},
	{kind: cluster.KindStale, scope: cluster.ScopeReach, severity: cluster.Warning, holds: is(cluster.NodeStale)},
	{kind: cluster.KindConnecting, scope: cluster.ScopeReach, severity: cluster.Waiting, holds: is(cluster.NodeConnecting)},

	{kind: cluster.KindNoDriver, scope: cluster.ScopeReport, severity: cluster.Critical, holds: noDriver, ofGPUs: true},
	{kind: cluster.KindOldDriver, scope: cluster.ScopeReport, severity: cluster.Note, holds: oldDriver, ofGPUs: true},
	{kind: cluster.KindSlow, scope: cluster.ScopeReport, severity: cluster.Warning, holds: slow, after: moreThanOnce, ofGPUs: true},
	{kind: cluster.KindFault, scope: cluster.ScopeReport, severity: cluster.Note, holds: unread},

	{kind: cluster.KindLost, scope: cluster.ScopeGPU, severity: cluster.Critical, holds: lost, only: true},
	{kind: cluster.KindUnusable, scope: cluster.ScopeGPU, severity: cluster.Critical, holds: unusable, only: true},
	{kind: cluster.KindHang, scope: cluster.ScopeGPU, severity: cluster.Critical, holds: hangs, only: true},
	{kind: cluster.KindECC, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: memoryErrors},
	{kind: cluster.KindThermal, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: throttled(wire.ThrottleHWThermal)},
	{kind: cluster.KindThermal, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: throttled(wire.ThrottleSWThermal), lasts: SoftThermalSeconds},
	{kind: cluster.KindPowerBrake, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: throttled(wire.ThrottleHWPowerBrake)},
	{kind: cluster.KindSlowdown, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: unnamedSlowdown, after: moreThanOnce},
	{kind: cluster.KindFault, scope: cluster.ScopeGPU, severity: cluster.Warning, holds: unread, after: moreThanOnce},

	{kind: cluster.KindHidden, scope: cluster.ScopeJob, severity: cluster.Critical, holds: hidden, only: true},
	{kind: cluster.KindMissing, scope: cluster.ScopeJob, severity: cluster.Critical, holds: missing},
	{kind: cluster.KindMissing, scope: cluster.ScopeJob, severity: cluster.Warning, holds: perhapsMissing},
}

// byScope has the rules of each scope.
var byScope = func() (of [cluster.ScopeJob + 1][]*rule) {
	for i := range rules {
		r := &rules[i]
		of[r.scope] = append(of[r.scope], r)
	}
	return of
}()

func is(state cluster.NodeState) func(subject) bool {
	return func(s subject) bool { return s.Node.State == state }
}

func noDriver(s subject) bool { return s.Node.Hello.Fault != "" }
func oldDriver(s subject) bool {
	return s.Node.Hello.Fault == "" && len(s.Node.Hello.Missing) > 0
}

// slow holds if the driver is too slow for the interval: a reading takes longer, or most GPUs repeat old values.
func slow(s subject) bool {
	n := s.Node
	late := 0
	for i := range n.GPUs {
		if time.Duration(n.GPUs[i].AgeMS)*time.Millisecond > n.Interval {
			late++
		}
	}
	return n.Took > max(n.Interval, time.Second) || 2*late > len(n.GPUs)
}

// unread holds if some metrics of the GPU, or of the node itself, cannot be read.
func unread(s subject) bool { return len(faultsOf(s.Node, s.GPU)) > 0 }

// lost holds for a GPU that is gone until a reset or reboot, unusable for any other GPU without access.
func lost(s subject) bool {
	return s.GPU.LostID == wire.LostFellOff || s.GPU.LostID == wire.LostReset
}
func unusable(s subject) bool { return s.GPU.Lost != "" && !lost(s) }

func hangs(s subject) bool        { return s.GPU.Hung() }
func memoryErrors(s subject) bool { return s.GPU.Float(metric.ECCUncorrected) > 0 }

func hidden(s subject) bool         { return s.Job.Missing(s.Node).Hidden }
func missing(s subject) bool        { return s.Job.Missing(s.Node).Certain }
func perhapsMissing(s subject) bool { return s.Job.Missing(s.Node).Count > 0 }

// throttled returns a rule that holds if one of bits is among the reasons for reduced clocks.
func throttled(bits uint64) func(subject) bool {
	return func(s subject) bool { return reasons(s.GPU)&bits != 0 }
}

// unnamedSlowdown holds for a hardware slowdown without a reported cause.
func unnamedSlowdown(s subject) bool {
	bits := reasons(s.GPU)
	return bits&wire.ThrottleHWSlowdown != 0 && bits&(wire.ThrottleHWThermal|wire.ThrottleHWPowerBrake) == 0
}

func reasons(g *cluster.GPU) uint64 {
	bits, _ := g.Get(metric.Throttle)
	return uint64(bits)
}

// Rules returns the cluster.Rules of this program with these thresholds.
func Rules(limits Thresholds) cluster.Rules {
	return func(s cluster.Subject) []cluster.Condition { return holding(subject{s, &limits}) }
}

// holding returns the conditions that hold.
func holding(s subject) []cluster.Condition {
	var held []cluster.Condition
	for _, r := range byScope[s.Scope] {
		if len(held) > 0 && held[len(held)-1].Kind == r.kind || !r.holds(s) {
			continue
		}
		held = append(held, r.condition(s))
		if r.only {
			break
		}
	}
	return held
}

// condition returns the Condition of a rule that holds. The state of a node has its own beginning and class, and a hung call says how long
// it has lasted.
func (r *rule) condition(s subject) cluster.Condition {
	c := cluster.Condition{Kind: r.kind, Severity: r.severity, After: r.after, OfGPUs: r.ofGPUs}
	if r.lasts != noThreshold {
		c.After = s.limits.seconds(r.lasts)
	}
	switch {
	case r.kind == cluster.KindHang:
		c.Since = s.Node.Arrived.Add(-time.Duration(s.GPU.HangsMS) * time.Millisecond)
	case r.scope != cluster.ScopeReach:
	case s.Node.Failure != nil:
		c.Since, c.Class = s.Node.Since, s.Node.Failure.Class
	case r.kind == cluster.KindStale:
		c.Since, c.Class = s.Node.Since, reach.ClassSilent
	default:
		c.Since = s.Node.Since
	}
	return c
}
