package health

import (
	"math"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/pace"
)

const (
	// wanderWithin is how long ago another GPU has lagged at most if the slow GPU changes.
	wanderWithin = 3 * time.Minute

	// wanderLeast is how long a GPU has lagged at least to count as a place of the slow GPU.
	wanderLeast = 5 * time.Second

	// never is an After that is never reached.
	never = time.Duration(math.MaxInt64)

	// alwaysSlow is the share of the median below which a GPU lags that has always been slow. Less of a difference is the way in which the job
	// divides its work.
	alwaysSlow = 0.5

	// justLagged is how long before a pause a GPU has lagged at most if it lagged when the pause began, and outdoes how many times more than
	// before and than the others it is utilized if it lags no more.
	justLagged = 15 * time.Second
	outdoes    = 1.15

	// waiting is the share of their usual power below which the GPUs of a job wait for one of them.
	waiting = 0.75
)

// lagging finds the GPUs that are slower than the others of a job that works in step. When they change, it is the job's finding.
func lagging(s subject) []cluster.Condition {
	ratio, since := float32(s.limits[LagRatio]), s.Peers.At.Add(-justWorked)
	slow := differing(s, (*pace.Group).Lockstep, func(_ *pace.Group, g *pace.GPU) bool {
		return (g.Share[pace.Util] < ratio || g.Share[pace.Clock] < ratio || g.Share[pace.Power] > 1/ratio) && !g.Worked.Before(since) // else it is idle
	})
	var held []cluster.Condition
	for _, p := range slow {
		if how, severity, lags := lagsHow(p, ratio); lags {
			held = append(held, p.condition(cluster.Condition{Severity: severity}, how))
		}
	}
	if c, wanders := wandering(s, held); wanders {
		for i := range held { // none of them is the slow one
			held[i].After = never
		}
		held = append(held, c)
	}
	return held
}

// unclear finds the GPUs that lagged when the job paused, and are not found to lag now. Whether they still would is known when it goes on.
func unclear(s subject, held []cluster.Condition) []cluster.Condition {
	if !slices.ContainsFunc(s.Peers.Pace.Groups, func(g pace.Group) bool { return g.Paused }) {
		return nil
	}
	out := []cluster.Condition{{Kind: cluster.KindLag, Unclear: true}} // the slow GPU changes
	for _, p := range differing(s, func(g *pace.Group) bool { return g.Paused }, func(g *pace.Group, gpu *pace.GPU) bool {
		return g.Halted.Sub(gpu.LagLast) <= justLagged && !better(g, gpu)
	}) {
		if !slices.ContainsFunc(held, func(c cluster.Condition) bool { return c.Kind == cluster.KindLag && c.Of != nil && c.Of.GPU == p.GPU }) {
			out = append(out, cluster.Condition{Kind: cluster.KindLag, Unclear: true, Of: &p.Peer})
		}
	}
	return out
}

// better reports whether a GPU does more than when it lagged, and more than the others, which have paused.
func better(g *pace.Group, gpu *pace.GPU) bool {
	return gpu.Mean[pace.Util] > outdoes*max(gpu.LagUtil, g.Median[pace.Util])
}

// lagsHow tells how a GPU lags, if it does. Utilization alone does not show it: a GPU that waits for the others in a collective is fully
// utilized, and the one that they wait for may be as well.
func lagsHow(p peer, ratio float32) (cluster.How, cluster.Severity, bool) {
	util, power := p.Share[pace.Util], p.Share[pace.Power]
	usual := p.Usual[pace.Util]
	switch {
	case usual != usual: // not known yet
	case util < ratio && util < ratio*usual:
		return cluster.Starved, cluster.Warning, true
	case util < ratio:
		if p.always() {
			return cluster.Starved, p.blame(), true
		}
	case p.Share[pace.Clock] < ratio:
		return cluster.Slowed, cluster.Warning, true
	case power > 1/ratio && power > p.Usual[pace.Power]/ratio && p.group.Median[pace.Power] < waiting*p.group.Usual[pace.Power]:
		return cluster.Awaited, cluster.Warning, true
	}
	return 0, 0, false
}

// always reports whether the GPU is so slow, and so alone with it, that it lags although it has never been faster. A group of few GPUs has no
// such one: what is usual for them is learned while all are in step.
func (p peer) always() bool {
	return p.Share[pace.Util] < alwaysSlow && p.group.Near == len(p.group.GPUs)-1
}

// blame returns the severity for a GPU that has always been slow: it may have less work by design, unless its process is starved as well.
func (p peer) blame() cluster.Severity {
	if own, others := cpuOf(p.Node, p.Own); own < starvedCPU*others {
		return cluster.Warning
	}
	return cluster.Note
}

// wandering returns the job's finding that the slow GPU changes: none has lagged for long, and others have just before.
func wandering(s subject, held []cluster.Condition) (cluster.Condition, bool) {
	if len(held) == 0 {
		return cluster.Condition{}, false
	}
	now := s.Peers.At
	long := s.limits.seconds(LagSeconds)
	places := []cluster.Peer{}
	for _, c := range held {
		if now.Sub(c.Of.LagLast) < wanderLeast+wanderWithin && c.Of.LagLast.Sub(c.Of.LagBegan) >= long {
			return cluster.Condition{}, false
		}
		places = append(places, *c.Of)
	}
	before := len(places)
	for _, p := range s.Peers.GPUs {
		if !p.LagLast.IsZero() && now.Sub(p.LagLast) <= wanderWithin && p.LagLast.Sub(p.LagBegan) >= wanderLeast && !slices.ContainsFunc(held, func(c cluster.Condition) bool { return c.Of.GPU == p.GPU }) {
			places = append(places, p)
		}
	}
	if len(places) == before {
		return cluster.Condition{}, false
	}
	slices.SortStableFunc(places, func(a, b cluster.Peer) int { return b.LagLast.Compare(a.LagLast) })
	places = places[:min(len(places), 2)] // the last two
	return cluster.Condition{Severity: cluster.Warning, Compared: &cluster.Comparison{
		Count: len(places), Of: len(s.Peers.GPUs), Places: cluster.NewPlaces(places, func(p cluster.Peer) time.Time { return p.LagBegan }),
	}}, true
}
