package health

import (
	"math"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
)

const (
	// wanderWithin is how recently another GPU must have lagged if the slow GPU changes.
	wanderWithin = 3 * time.Minute

	// wanderLeast is the shortest time for which a GPU must have lagged to count as a place of the slow GPU.
	wanderLeast = 5 * time.Second

	// never is an After that is never reached.
	never = time.Duration(math.MaxInt64)

	// justLagged is how long before a pause a GPU may have lagged to count as lagging at its beginning. outdoes is the
	// ratio of the GPU's utilization, to its earlier one and to that of the others, at which it no longer lags.
	justLagged = 15 * time.Second
	outdoes    = 1.15
)

// findUnclearLags finds the GPUs that lagged when the job paused, and are not found to lag now. Whether they still lag
// becomes known only when the job continues.
func findUnclearLags(s ruleSubject, held []cluster.Condition) []cluster.Condition {
	if !slices.ContainsFunc(s.Peers.Pace.Groups, func(g pace.Group) bool { return g.Paused }) {
		return nil
	}
	just := s.atLeastTwoSamples(justLagged)
	out := []cluster.Condition{{Kind: cluster.KindLag, Unclear: true}} // the slow GPU changes
	for _, p := range pickPeers(s, func(g *pace.Group) bool { return g.Paused },
		func(g *pace.Group, gpu *pace.GPU) bool {
			// not just when the pause began; a reported lag may have started anew at that time
			long := gpu.LagLast.After(gpu.LagBegan) || g.Halted.Sub(gpu.LagTold) <= just
			return long && g.Halted.Sub(gpu.LagLast) <= just && !doesMore(g, gpu) &&
				(!g.InStep || g.Rests() || mayBeSlow(gpu) || mayStillLag(g, gpu))
		}) {
		if !slices.ContainsFunc(held, func(c cluster.Condition) bool {
			return c.Kind == cluster.KindLag &&
				c.Of != nil && c.Of.GPU == p.GPU
		}) {
			out = append(out, cluster.Condition{Kind: cluster.KindLag, Unclear: true, Of: &p.Peer})
		}
	}
	return out
}

// mayStillLag reports whether a GPU may still lag just after a pause, when averages do not show it. Either it had less
// than usual in its last sample, or its utilization never showed that it lagged.
func mayStillLag(g *pace.Group, gpu *pace.GPU) bool {
	util, clock := same*g.Usual[pace.Util], same*g.Usual[pace.Clock]
	return gpu.LagUtil >= util || gpu.Now(pace.Util) < util || gpu.Now(pace.Clock) < clock
}

// doesMore reports whether a GPU does more than when it lagged, and more than the others, which have paused. Waiting in
// a collective is not more.
func doesMore(g *pace.Group, gpu *pace.GPU) bool {
	least := outdoes * max(gpu.LagUtil, g.Median[pace.Util])
	return g.Rests() && !gpu.Quiet() && gpu.Mean[pace.Util] > least && gpu.Now(pace.Util) > least
}

// findWanderingLag returns the job's finding that the slow GPU changes: no GPU has lagged for long, and others lagged
// shortly before.
func findWanderingLag(s ruleSubject, held []cluster.Condition) (cluster.Condition, bool) {
	now := s.Peers.At
	long := s.limits.durationOf(LagSeconds)
	places := []cluster.Peer{}
	for _, c := range held {
		if c.Mild {
			continue
		}
		if now.Sub(c.Of.LagLast) < wanderLeast+wanderWithin && c.Of.LagLast.Sub(c.Of.LagBegan) >= long {
			return cluster.Condition{}, false
		}
		places = append(places, *c.Of)
	}
	before := len(places)
	if before == 0 {
		return cluster.Condition{}, false
	}
	for _, p := range s.Peers.GPUs {
		recently := !p.LagMuch.IsZero() && now.Sub(p.LagMuch) <= wanderWithin &&
			p.LagLast.Sub(p.LagBegan) >= wanderLeast
		if recently && !slices.ContainsFunc(held, func(c cluster.Condition) bool { return c.Of.GPU == p.GPU }) {
			places = append(places, p)
		}
	}
	if len(places) == before {
		return cluster.Condition{}, false
	}
	slices.SortStableFunc(places, func(a, b cluster.Peer) int { return b.LagLast.Compare(a.LagLast) })
	places = places[:min(len(places), 2)] // the last two
	return cluster.Condition{Severity: cluster.Warning, Compared: &cluster.Comparison{
		By: held[0].Compared.By, Count: len(places), Of: len(s.Peers.GPUs),
		Places: cluster.NewPlaces(places, func(p cluster.Peer) time.Time { return p.LagBegan }),
	}}, true
}
