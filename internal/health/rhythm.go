package health

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
)

const (
	// stepMemory is the percentage of memory traffic above which a GPU makes steps. If the others only wait for a GPU,
	// it may do something alone, such as a checkpoint. That is no lag, however often it happens.
	stepMemory = 2

	// fewOfNode is the number of GPUs on a node below which the GPUs of all nodes show whether the others make steps.
	fewOfNode = 3

	// A GPU is behind at a moment if it is below this share of the others, and they are this busy. If they are less
	// busy, they may wait for other things.
	behindShare = 0.75
	busyLeast   = 90 // percent

	// lately is for how many periods of a GPU's rhythm the bouts of other GPUs count.
	lately = 8
)

// addRepeatedLags marks the GPUs that lag at this moment. It adds those that lag again and again, each time too briefly
// to be reported.
func addRepeatedLags(s ruleSubject, held []cluster.Condition) []cluster.Condition {
	return s.addRhythms(s.markBouts(held))
}

// markBouts marks the GPUs that are behind at this moment, while the others make steps.
func (s ruleSubject) markBouts(held []cluster.Condition) []cluster.Condition {
	var steps []makeSteps
	return slices.DeleteFunc(held, func(c cluster.Condition) bool {
		by := c.Compared
		if c.Of == nil || by.How != cluster.Starved && by.How != cluster.Slowed {
			return false
		}
		if !isBehind(s.Peers.Pace.GroupOf(c.Of.GPU), c.Of.GPU) {
			return by.Bout == cluster.Noted
		}
		if steps == nil {
			steps = stepsByNode(s.Peers)
		}
		if !steps[c.Of.GPU.Node].ofOthers() {
			return by.Bout == cluster.Noted
		}
		by.Bout = max(by.Bout, cluster.Lagging)
		return false
	})
}

// addRhythms adds the GPUs that lag again and again. It must be the same GPU each time: if others lag as often, none of
// them is the slow one. A GPU that is behind for longer at a time is judged by the other ways of lagging.
func (s ruleSubject) addRhythms(held []cluster.Condition) []cluster.Condition {
	for _, one := range s.Peers.GPUs {
		if one.Bouts == nil {
			continue
		}
		r, is := one.Bouts.Rhythm(s.Peers.At, s.Peers.Pace.Step)
		p := peer{Peer: one, group: s.Peers.Pace.GroupOf(one.GPU)}
		if !is || r.Lasts >= s.limits.durationOf(LagSeconds) || p.group == nil || !p.group.Coupled() ||
			s.othersLag(p, &r) {
			continue
		}
		c := p.newCondition(cluster.Condition{Severity: cluster.Warning, Since: r.Since, After: moreThanOnce}, howOf(p.Bouts))
		by := c.Compared
		by.Own, by.Median, by.Rhythm = p.Bouts.Own, p.Bouts.Median, &r
		at := slices.IndexFunc(held, func(o cluster.Condition) bool { return o.Of != nil && o.Of.GPU == p.GPU })
		if at < 0 {
			held = append(held, c)
			continue
		}
		now := held[at].Compared
		by.Own, by.Median, by.Bout = now.Own, now.Median, min(now.Bout, cluster.Lagging)
		held[at] = c
	}
	return held
}

// justUneven finds the GPUs that lag just after a moment at which their group was not in step. It is too early to judge
// them, but a lag that comes and goes may be over by then.
func justUneven(s ruleSubject) []cluster.Condition {
	early := false
	for i := range s.Peers.Pace.Groups {
		early = early || isEarly(&s.Peers.Pace.Groups[i])
	}
	if !early { // the usual case
		return nil
	}
	found := pickPeers(s, isEarly, func(of *pace.Group, g *pace.GPU) bool { return isBehind(of, g) && of.Talks(g) })
	var held []cluster.Condition
	for _, p := range found {
		w, c := p.findLag(float32(s.limits[LagRatio]), false)
		if c != nil && w != nil && !w.old && (w.how == cluster.Starved || w.how == cluster.Slowed) {
			c.Kind, c.Compared.Bout = cluster.KindLag, cluster.Noted
			held = append(held, *c)
		}
	}
	return s.markBouts(held)
}

// isEarly reports whether a group is in step again, but not for long enough to judge a lag.
func isEarly(g *pace.Group) bool { return g.InStep && g.Coupled() && !g.Lockstep() }

func isBehind(of *pace.Group, g *pace.GPU) bool {
	return mayBeSlow(g) && of.Median[pace.Util] >= busyLeast && g.IsBehind(of, behindShare)
}

// makeSteps counts the GPUs of a node that make steps at this moment.
type makeSteps struct{ do, of int }

// ofOthers reports whether most GPUs other than this one make steps.
func (m makeSteps) ofOthers() bool { return m.do > 0 && 3*m.do >= 2*(m.of-1) }

// stepsByNode counts the GPUs that make steps, by node number: the GPUs of one node report together.
func stepsByNode(p *cluster.Peers) []makeSteps {
	var all makeSteps
	var by []makeSteps
	for _, g := range p.GPUs {
		for len(by) <= g.GPU.Node {
			by = append(by, makeSteps{})
		}
		n := &by[g.GPU.Node]
		n.of, all.of = n.of+1, all.of+1
		if g.Reads() > stepMemory {
			n.do, all.do = n.do+1, all.do+1
		}
	}
	for i := range by {
		if by[i].of < fewOfNode {
			by[i] = all
		}
	}
	return by
}

// othersLag reports whether another GPU of the group lagged half as often.
func (s ruleSubject) othersLag(p peer, r *pace.Rhythm) bool {
	within := lately * r.Each
	own := p.Bouts.Lately(s.Peers.At, within)
	return slices.ContainsFunc(p.group.GPUs, func(o *pace.GPU) bool {
		return o != p.GPU && o.Bouts != nil && 2*o.Bouts.Lately(s.Peers.At, within) > own
	})
}

// howOf returns the way in which a GPU lags.
func howOf(b *pace.Bouts) cluster.Difference {
	if b.Own[pace.Clock] < costly*b.Median[pace.Clock] {
		return cluster.Slowed
	}
	return cluster.Starved
}
