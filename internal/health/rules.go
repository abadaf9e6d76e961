// Package health has the rules for problems: table.go has a row per problem, peers.go one per problem that shows when
// the GPUs of a job are compared, the files holds_*.go say when it is one, threshold.go has the numbers that the user
// can set. Its rooms: say has the words of each finding, xid NVIDIA's catalog of Xids, signs what rules and words both
// look at. docs/health.md is made of these.
//
// Everything here is a pure function and may be called from any number of goroutines. Rules look at one moment of a
// node, a GPU or a job; store.Store calls them with each Event and keeps the time.
//
// # Comparing the GPUs of a job
//
// The GPUs of a job are compared once per interval, when one of its nodes reports. Package pace measures: averages of
// half a minute, shares of the median of a group, and what is usual for each GPU, learned only while the GPUs work in
// step. A group is the GPUs of one model on one node, or on all nodes once nearly all of these exchange data or pause
// together. Each group has at most one evidence that its GPUs work together, the first of: traffic over NVLink, PCIe or
// the network, common pauses, and, where the driver tells no traffic, common waits and a common fall of the power. It
// is measured while the GPUs work, so a hang does not end it; a GPU that stands still while the others go on does, for
// half an hour. Equal utilization proves nothing. Without evidence there is no lag, rank_gone is a note, and job_hang
// is told only of GPUs that nobody has seen work. In a group with traffic, a GPU that has none itself does not lag.
// docs/health.md has the figures, the doc comment of pace the reasons. Time in which nobody watched, because a node was
// silent, the job suspended or the utilization not known, is neither idle time nor a pause. While the GPUs of a job
// pause together, as for a checkpoint, nobody can tell whether one lags: for up to two minutes such a finding neither
// ends nor ages (Condition.Unclear), unless that GPU does more than before. health judges, and the Store keeps the
// time: what is first told is as severe as it was for a third of its time. A GPU "lags", it is never "broken": what is
// constant may be the way in which the job divides its work. scripts/score measures what a change of these rules finds
// and says wrongly.
//
// What is printed once takes two reports of each node (poller.Config.Second), so that rates exist and rules that want
// two samples can hold. What the nodes have not reported long enough for is Snapshot.NotChecked: each row of the rules
// says how long it takes, so nothing is listed twice.
package health

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/health/xid"
	"github.com/nvnodetop/nvnodetop/internal/reach"
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
	every    bool          // of a node: it holds for every GPU
	only     bool          // if it holds, the rules below it in its scope do not count

	// watch is how long a node reports until the rule can find something, where after and lasts do not say it. May be
	// nil.
	watch func(*Thresholds) time.Duration

	when   string // it holds, in words, for docs/health.md; {key} is a threshold
	source string // of what it knows, or of the limit
}

// byScope has the rules of each scope.
var byScope = func() (of [cluster.ScopeJob + 1][]*rule) {
	for i := range rules {
		r := &rules[i]
		of[r.scope] = append(of[r.scope], r)
	}
	return of
}()

// Rules returns the cluster.Rules of this program with these thresholds.
func Rules(limits Thresholds) cluster.Rules {
	return func(s cluster.Subject) []cluster.Condition {
		switch s.Scope {
		case cluster.ScopePeers:
			return comparing(subject{s, &limits})
		case cluster.ScopeWatch:
			return unchecked(subject{s, &limits})
		}
		return holding(subject{s, &limits})
	}
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

// condition returns the Condition of a rule that holds. The state of a node has its own beginning and class, and a hung
// call says how long it has lasted.
func (r *rule) condition(s subject) cluster.Condition {
	c := cluster.Condition{Kind: r.kind, Severity: r.severity, After: r.after, OfGPUs: r.ofGPUs, Every: r.every}
	if r.lasts != noThreshold {
		c.After = s.limits.seconds(r.lasts)
	}
	switch {
	case r.kind == cluster.KindHang:
		c.Since = s.Node.Arrived.Add(-signs.LongestHang(s.Node, s.GPU))
	case r.kind == cluster.KindXid:
		first, _ := xid.CauseOn(s.Node, s.GPU)
		c.Since = first.At
	case r.kind == cluster.KindSilence:
		c.Since, c.Silence = s.Silence.From, s.Silence
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
