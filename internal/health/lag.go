package health

import (
	"math"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
)

const (
	// A GPU that does less than costly of its usual pace slows its job by a sixth. That is mild.
	costly = 0.85

	// felt is the largest share of their usual work that the others still do if they wait for a slow GPU. They lack at
	// least the part follows of what the GPU lacks. If they continue as usual, they do not need its work.
	felt    = 0.93
	follows = 0.4

	// waiting is the share of their usual power below which the others wait for a GPU for much of the time. harder is
	// the ratio between its power and theirs, as shares of usual power, from which on it works while they wait for
	// some.
	waiting = 0.75
	harder  = 1.1

	// same and fallen are the shares of usual power of a GPU that works as ever, and of others that wait for it for a
	// sixth of the time.
	same   = 0.95
	fallen = 0.9

	// nearly is added to a share below which a GPU lags beside others, for its share of its own past. oneRate is the
	// largest ratio of two measures of one rate.
	nearly  = 0.05
	oneRate = 1.3

	// less is the share of its usual power or memory traffic below which a GPU does less than the others at the same
	// utilization. raised is the ratio to their clock from which on a GPU waits for them part of the time.
	less   = 0.6
	raised = 1.04

	// The others wait, whatever is usual for them, if they work for waitUtil of the time, take less than waitPower of
	// their limit and read memory for less than waitMemory of the time. Then a GPU is slow below or above these shares
	// of their values. A smaller difference is the way in which the job divides its work.
	waitUtil, waitMemory  = 0.98, 0.5
	waitPower             = 0.8
	slowUtil, slowClock   = 0.75, 0.8
	morePower, moreMemory = 1.5, 1.5
	slowPower             = 1.25

	// The others only wait up to this percentage of memory traffic and below this share of their usual power.
	standMemory = 1
	standPower  = 0.5

	// alwaysSlow is the share of the others' utilization below which a GPU that has always been slow lags, even if they
	// do not seem to wait.
	alwaysSlow = 0.5
)

// way is one way in which a GPU is slow.
type way struct {
	how   cluster.How
	mild  bool // it matters only if it lasts
	old   bool // it may be older than the watch; then it counts only if few GPUs have it
	holds func(*look) bool
}

// ways are in order of priority. Utilization alone does not show the slow GPU: a GPU that waits for the others in a
// collective is fully utilized, and the awaited GPU may be as well.
var ways = []way{
	{cluster.Starved, false, false, func(l *look) bool { return l.slowsOthers(pace.Util, l.ratio) }},
	{cluster.Slowed, false, false, func(l *look) bool { return l.slowsOthers(pace.Clock, l.ratio) }},
	{cluster.Awaited, false, false, func(l *look) bool {
		return l.othersMayWait() && l.isAbove(pace.Power, 1/l.ratio) && !(l.parted && !(l.others < l.upperLimit(waiting))) &&
			l.group.Others(l.GPU, pace.Power) < l.upperLimit(waiting)*l.group.UsualOthers(l.GPU, pace.Power)
	}},
	{cluster.Starved, true, false, func(l *look) bool { return l.slowsOthers(pace.Util, costly) }},
	{cluster.Slowed, true, false, func(l *look) bool { return l.slowsOthers(pace.Clock, costly) }},
	{cluster.Reads, true, false, func(l *look) bool {
		return l.othersMayWait() && l.costsOthers() && l.isAbove(pace.Memory, 1/costly) && l.standsOut(pace.Memory) &&
			!l.waitsToo(pace.Memory)
	}},
	{cluster.Awaited, true, false, func(l *look) bool {
		return l.othersMayWait() && l.costsOthers() && (l.isAbove(pace.Power, harder) || l.keepsPower()) &&
			l.standsOut(pace.Power) &&
			!l.waitsToo(pace.Power)
	}},
	{cluster.Less, true, false, func(l *look) bool {
		few := l.isBelow(pace.Power, less) || l.isBelow(pace.Memory, less)
		spins := l.Share[pace.Clock] > l.upperLimit(raised) || l.group.Spins(l.GPU) // it waits for the others
		return few && !spins && !(l.others < l.lowerLimit(felt)) && len(l.group.GPUs) > 2 &&
			l.Share[pace.Util] > l.lowerLimit(costly) && l.standsOut(pace.Power)
	}},
	{cluster.Starved, true, true, func(l *look) bool {
		same := !(l.Share[pace.Memory] < l.lowerLimit(less)) // work, whoever waits: each step reads the same amount
		return same && l.waits && l.alwaysDiffered(pace.Util) && l.Share[pace.Util] < l.upperLimit(slowUtil)
	}},
	{cluster.Slowed, true, true, func(l *look) bool {
		return l.waits && l.alwaysDiffered(pace.Clock) && l.Share[pace.Clock] < l.upperLimit(slowClock) &&
			l.Share[pace.Power] < l.upperLimit(harder)
	}},
	{cluster.Reads, true, true, func(l *look) bool {
		return l.waits && l.alwaysDiffered(pace.Memory) &&
			l.Share[pace.Memory] > l.lowerLimit(moreMemory) &&
			l.Share[pace.Power] < l.upperLimit(slowPower) // not just more work
	}},
	{cluster.Awaited, true, true, func(l *look) bool {
		return l.waits && l.alwaysDiffered(pace.Power) &&
			l.Share[pace.Power] > l.lowerLimit(morePower)
	}},
}

// measures are what shows that a GPU is slow in a way.
var measures = map[cluster.How]pace.Measure{cluster.Starved: pace.Util, cluster.Slowed: pace.Clock,
	cluster.Reads: pace.Memory, cluster.Awaited: pace.Power}

// findLaggingGPUs finds the GPUs that are slower than the others of a job that works in step. If the slow GPU changes,
// the finding is the job's.
func findLaggingGPUs(s subject) []cluster.Condition {
	held := findSlowGPUs(s)
	if c, wanders := findWanderingLag(s, held); wanders {
		for i := range held { // none of these GPUs is the slow one
			held[i].After = never
		}
		held = append(held, c)
	}
	return append(addRepeatedLags(s, held), findAwaitedGPU(s)...)
}

// findSlowGPUs finds the GPUs that are slow in one of the ways.
func findSlowGPUs(s subject) []cluster.Condition {
	ratio, since := float32(s.limits[LagRatio]), s.Peers.At.Add(-s.atLeastTwoSamples(justWorked))
	found := pickPeers(s, (*pace.Group).Lockstep, func(of *pace.Group, g *pace.GPU) bool {
		return (mayBeSlow(g) || s.hasTold(g)) && of.Talks(g) && !g.Worked.Before(since) // otherwise it is idle
	})
	var held []cluster.Condition
	for _, p := range found {
		if w, c := p.findLag(ratio, s.hasTold(p.GPU)); c != nil && (w == nil || !w.old || p.isException(w.how)) {
			held = append(held, *c)
		}
	}
	return append(dropAwaited(s, inDoubt(s, held)), slowerOfFew(s)...)
}

// inDoubt makes those mild that are awaited beside another one of their node: who waits, waits for one GPU or for a
// whole node. Pairs that train alone look so when the other pairs evaluate.
func inDoubt(s subject, held []cluster.Condition) []cluster.Condition {
	if len(held) < 2 {
		return held
	}
	awaited := map[int]int{} // by node
	isAwaited := func(c *cluster.Condition) bool { return !c.Mild && c.Compared.How == cluster.Awaited }
	for i := range held {
		if isAwaited(&held[i]) {
			awaited[held[i].Of.GPU.Node]++
		}
	}
	for i := range held {
		c := &held[i]
		n := awaited[c.Of.GPU.Node]
		if isAwaited(c) && n > 1 && n < len(s.Peers.On(c.Of.Node)) {
			c.Mild = true
		}
	}
	return held
}

// slowerOfFew finds those of few GPUs that have never been in step for which the others wait: those that clock lower,
// since more work would take more power, and those that work for less of the time, perhaps by design.
func slowerOfFew(s subject) []cluster.Condition {
	var held []cluster.Condition
	for _, p := range pickPeers(s, (*pace.Group).Differs, (*pace.Group).Talks) {
		switch l := p.newLook(float32(s.limits[LagRatio]), s.hasTold(p.GPU)); {
		case l.clocksLow():
			held = append(held, p.newCondition(cluster.Condition{Severity: cluster.Warning, Mild: true}, cluster.Slowed))
		case l.waits && l.Share[pace.Util] < l.upperLimit(alwaysSlow):
			held = append(held, p.newCondition(cluster.Condition{Severity: p.lagSeverity(), Mild: true}, cluster.Starved))
		}
	}
	return held
}

// hasTold reports whether a GPU was reported to lag a moment ago.
func (s subject) hasTold(g *pace.GPU) bool {
	return !g.LagTold.IsZero() && s.Peers.At.Sub(g.LagTold) <= s.atLeastTwoSamples(justLagged)
}

// dropAwaited drops the awaited ones of few GPUs where another GPU shows why all are slow: of two GPUs both differ, and
// of three the one that waits a little less than the other.
func dropAwaited(s subject, held []cluster.Condition) []cluster.Condition {
	shows := func(c cluster.Condition) bool {
		return c.Compared.How == cluster.Starved || c.Compared.How == cluster.Slowed
	}
	return slices.DeleteFunc(held, func(c cluster.Condition) bool {
		g := s.Peers.Pace.GroupOf(c.Of.GPU)
		return g.Few() && !shows(c) && slices.ContainsFunc(held, func(o cluster.Condition) bool {
			return shows(o) && s.Peers.Pace.GroupOf(o.Of.GPU) == g
		})
	})
}

// mayBeSlow reports whether a GPU may be slow. In most cases none is.
func mayBeSlow(g *pace.GPU) bool {
	share := &g.Share
	return share[pace.Util] < costly || share[pace.Clock] < costly || share[pace.Power] < less ||
		share[pace.Power] > harder*min(g.Usual[pace.Power], 1) ||
		share[pace.Memory] < less || share[pace.Memory] > 1/costly
}

// findLag returns the way in which a GPU lags, and the condition; nil: it does not lag. A GPU that has always been
// slow, perhaps by design, lags in no way.
func (p peer) findLag(ratio float32, told bool) (*way, *cluster.Condition) {
	g, l := p.group, p.newLook(ratio, told)
	if l.othersOnlyWait() {
		return nil, nil
	}
	for i := range ways {
		if w := &ways[i]; w.holds(&l) && (w.how == cluster.Slowed || !g.Few() || l.stepsTakeLonger()) {
			c := p.newCondition(cluster.Condition{Severity: cluster.Warning, Mild: w.mild}, w.how)
			return w, &c
		}
	}
	if p.Share[pace.Util] < l.upperLimit(alwaysSlow) && p.Usual[pace.Util] < l.upperLimit(ratio) &&
		(told || g.Near == len(g.GPUs)-1) && (!g.Few() || l.stepsTakeLonger()) {
		c := p.newCondition(cluster.Condition{Severity: p.lagSeverity()}, cluster.Starved)
		return nil, &c
	}
	return nil, nil
}

// isException reports whether the GPUs that differ at least half as much as this one are few, or are all GPUs of some
// nodes: of up to half, but not of half the nodes if these only have more to do.
func (p peer) isException(how cluster.How) bool {
	differs := func(g *pace.GPU) float64 { return math.Abs(float64(g.Share[measures[how]]) - 1) }
	alike, here, all := 0, 0, 0
	for _, o := range p.group.GPUs {
		its, near := 2*differs(o) >= differs(p.GPU), o.Node == p.GPU.Node
		if its {
			alike++
		}
		if near {
			all++
		}
		if its && near {
			here++
		}
	}
	n := len(p.group.GPUs)
	some := 2*alike < n || 2*alike == n && (how == cluster.Starved || how == cluster.Slowed)
	return alike <= max(1, n/4) || here == all && some
}

// lagSeverity returns the severity for a GPU that has always been slow: it may have less work by design, unless its
// process is starved as well.
func (p peer) lagSeverity() cluster.Severity {
	if signs.Starved(signs.CPUOf(p.Node, p.Own)) {
		return cluster.Warning
	}
	return cluster.Note
}

// findAwaitedGPU finds the only GPU of a job that works while the others wait for it.
func findAwaitedGPU(s subject) []cluster.Condition {
	p := s.Peers
	spinning, moving, all := 0, 0, 0
	for i := range p.Pace.Groups {
		g := &p.Pace.Groups[i]
		if g.Spinning > 0 && !g.Together() {
			return nil
		}
		spinning, moving, all = spinning+g.Spinning, moving+g.Moving, all+len(g.GPUs)
	}
	if moving != 1 || all < 2 || 3*spinning < 2*(all-1) {
		return nil
	}
	var held []cluster.Condition
	for _, one := range pickPeers(s, isAnyGroup, func(_ *pace.Group, g *pace.GPU) bool { return g.Moved.Equal(p.At) }) {
		c := one.newCondition(cluster.Condition{After: stopped}, cluster.Alone)
		c.Compared.Count, c.Compared.Of = spinning, all+p.Away
		if p.At.Sub(one.LagBegan) >= max(longWrite, s.standstillLimit()) &&
			p.At.Sub(one.LagLast) < s.atLeastTwoSamples(justLagged) {
			c.Severity = cluster.Warning
		}
		held = append(held, c)
	}
	return held
}
