package health

import (
	"math"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
)

const (
	// A GPU that does less than costly of its usual work slows down its job by a sixth. That is mild.
	costly = 0.85

	// felt is the largest share of their usual work that the others still do if they wait for a slow GPU. Of the work
	// that the slow GPU lacks, they lack at least the part follows. If they continue as usual, they do not need its
	// work.
	felt    = 0.93
	follows = 0.4

	// waiting is the share of their usual power below which the others spend much of the time waiting for a GPU. harder
	// is the ratio of the GPU's power to theirs, as shares of usual power, at which the GPU works while some of the
	// others wait.
	waiting = 0.75
	harder  = 1.1

	// same is the share of its usual power at which a GPU works as always. fallen is the share at which others wait for
	// it a sixth of the time.
	same   = 0.95
	fallen = 0.9

	// hardly is the share of their usual traffic below which GPUs do not exchange what they usually do.
	hardly = 0.1

	// nearly is added to the share below which a GPU lags beside others, to get the share for its own past. oneRate is
	// the largest ratio of two measures of the same rate.
	nearly  = 0.05
	oneRate = 1.3

	// less is the share of its usual power or memory traffic below which a GPU does less than the others at the same
	// utilization. raised is the ratio of its clock to theirs at which a GPU waits for them part of the time.
	less   = 0.6
	raised = 1.04

	// The others wait, whatever is usual for them, under three conditions: they work for waitUtil of the time, draw
	// less than waitPower of their limit, and read memory for less than waitMemory of the time. Then a GPU is slow
	// below or above these shares of their values. A smaller difference comes from how the job divides its work.
	waitUtil, waitMemory  = 0.98, 0.5
	waitPower             = 0.8
	slowUtil, slowClock   = 0.75, 0.8
	morePower, moreMemory = 1.5, 1.5
	slowPower             = 1.25

	// The others only wait if they have at most this percentage of memory traffic, and less than this share of their
	// usual power.
	standMemory = 1
	standPower  = 0.5

	// alwaysSlow is the share of the others' utilization below which a GPU that has always been slow counts as lagging,
	// even if the others do not seem to wait.
	alwaysSlow = 0.5
)

// slowdownRule is one way in which a GPU is slow.
type slowdownRule struct {
	how   cluster.Difference
	mild  bool // it matters only if it lasts
	old   bool // it may be older than the watch, and then counts only if few GPUs have it
	holds func(*gpuComparison) bool
}

// ways are in order of priority. Utilization alone does not show the slow GPU: a GPU that waits for the others in a
// collective is fully utilized, and so may be the one they wait for.
var ways = []slowdownRule{
	{cluster.Starved, false, false, func(l *gpuComparison) bool { return l.slowsOthers(pace.Util, l.ratio) }},
	{cluster.Slowed, false, false, func(l *gpuComparison) bool { return l.slowsOthers(pace.Clock, l.ratio) }},
	{cluster.Awaited, false, false, func(l *gpuComparison) bool {
		return l.othersMayWait() && l.isAbove(pace.Power, 1/l.ratio) && !(l.parted && !(l.others < l.upperLimit(waiting))) &&
			l.group.Others(l.GPU, pace.Power) < l.upperLimit(waiting)*l.group.UsualOthers(l.GPU, pace.Power)
	}},
	{cluster.Starved, true, false, func(l *gpuComparison) bool { return l.slowsOthers(pace.Util, costly) }},
	{cluster.Slowed, true, false, func(l *gpuComparison) bool { return l.slowsOthers(pace.Clock, costly) }},
	{cluster.Reads, true, false, func(l *gpuComparison) bool {
		return l.othersMayWait() && l.costsOthers() && l.isAbove(pace.Memory, 1/costly) &&
			!l.waitsToo(pace.Memory) && l.standsOut(pace.Memory)
	}},
	{cluster.Awaited, true, false, func(l *gpuComparison) bool {
		return l.othersMayWait() && l.costsOthers() && (l.isAbove(pace.Power, harder) || l.keepsPower()) &&
			!l.waitsToo(pace.Power) && l.standsOut(pace.Power)
	}},
	{cluster.Less, true, false, func(l *gpuComparison) bool {
		few := l.isBelow(pace.Power, less) || l.isBelow(pace.Memory, less)
		spins := l.Share[pace.Clock] > l.upperLimit(raised) || l.group.Spins(l.GPU) // it waits for the others
		return few && !spins && !(l.others < l.lowerLimit(felt)) && len(l.group.GPUs) > 2 &&
			l.Share[pace.Util] > l.lowerLimit(costly) && l.standsOut(pace.Power)
	}},
	{cluster.Starved, true, true, func(l *gpuComparison) bool {
		same := !(l.Share[pace.Memory] < l.lowerLimit(less)) // same work, whoever waits: each step reads as much
		return same && l.waits && l.alwaysDiffered(pace.Util) && l.Share[pace.Util] < l.upperLimit(slowUtil)
	}},
	{cluster.Slowed, true, true, func(l *gpuComparison) bool {
		return l.waits && l.alwaysDiffered(pace.Clock) && l.Share[pace.Clock] < l.upperLimit(slowClock) &&
			l.Share[pace.Power] < l.upperLimit(harder)
	}},
	{cluster.Reads, true, true, func(l *gpuComparison) bool {
		return l.waits && l.alwaysDiffered(pace.Memory) &&
			l.Share[pace.Memory] > l.lowerLimit(moreMemory) &&
			l.Share[pace.Power] < l.upperLimit(slowPower) // it does not just have more work
	}},
	{cluster.Awaited, true, true, func(l *gpuComparison) bool {
		return l.waits && l.alwaysDiffered(pace.Power) &&
			l.Share[pace.Power] > l.lowerLimit(morePower)
	}},
}

// measures are the measures that show each way of being slow.
var measures = map[cluster.Difference]pace.Measure{cluster.Starved: pace.Util, cluster.Slowed: pace.Clock,
	cluster.Reads: pace.Memory, cluster.Awaited: pace.Power}

// findLaggingGPUs finds the GPUs that are slower than the others of a job that works in step. If the slow GPU changes,
// the finding is about the job.
func findLaggingGPUs(s ruleSubject) []cluster.Condition {
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
func findSlowGPUs(s ruleSubject) []cluster.Condition {
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

// inDoubt makes conditions mild if the GPU is awaited and so is another GPU of its node: the waiting GPUs wait for one
// GPU, or for a whole node. Pairs that train alone look like this when the other pairs evaluate.
func inDoubt(s ruleSubject, held []cluster.Condition) []cluster.Condition {
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

// slowerOfFew finds, among few GPUs that were never in step, those that the others wait for: GPUs with a lower clock,
// since more work would take more power, and GPUs that work for less of the time, perhaps by design.
func slowerOfFew(s ruleSubject) []cluster.Condition {
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

// hasTold reports whether the GPU was reported to lag a moment ago.
func (s ruleSubject) hasTold(g *pace.GPU) bool {
	return !g.LagTold.IsZero() && s.Peers.At.Sub(g.LagTold) <= s.atLeastTwoSamples(justLagged)
}

// dropAwaited drops the awaited GPUs of a small group if another GPU shows why all are slow. If two GPUs differ, both
// look slow. Of three GPUs, the one that waits a little less than the other looks slow.
func dropAwaited(s ruleSubject, held []cluster.Condition) []cluster.Condition {
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

// findLag returns the way in which a GPU lags, and the condition; nil: it does not lag. A GPU that was always slow,
// perhaps by design, does not lag in any way.
func (p peer) findLag(ratio float32, told bool) (*slowdownRule, *cluster.Condition) {
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

// isException reports whether few GPUs differ at least half as much as this one. It also does so if those that differ
// are all GPUs of some nodes, up to half of the nodes, but not half of the nodes if they only have more to do.
func (p peer) isException(how cluster.Difference) bool {
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

// lagSeverity returns the severity for a GPU that was always slow. It may have less work by design, unless its process
// is starved as well.
func (p peer) lagSeverity() cluster.Severity {
	if signs.Starved(signs.CPUOf(p.Node, p.Own)) {
		return cluster.Warning
	}
	return cluster.Note
}

// findAwaitedGPU finds the only GPU of a job that works while the others wait for it.
func findAwaitedGPU(s ruleSubject) []cluster.Condition {
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
