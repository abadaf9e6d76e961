// Package health has the rules for problems: table.go has a row per problem, peers.go a row per problem found by
// comparing the GPUs of a job; the files holds_*.go decide when a problem holds, and threshold.go has the numbers that
// the user can set. Subpackages: say has the words of each finding, xid has NVIDIA's catalog of Xids, and signs reads
// the values that both rules and words need. docs/health.md is generated from these.
//
// Everything here is a pure function and may be called from any number of goroutines. Rules look at one moment of a
// node, a GPU or a job; store.Store calls them with each Event and keeps the time.
//
// # Comparing the GPUs of a job
//
// The GPUs of a job are compared once per interval, when one of its nodes reports. Package pace measures averages of
// half a minute, shares of the median of a group, and the usual values of each GPU, learned only while the GPUs work in
// step. A group is the GPUs of one model on one node, or on all nodes once nearly all nodes exchange data or pause
// together. Each group has at most one kind of evidence that its GPUs work together, the first of: traffic over NVLink,
// PCIe or the network; common pauses; and, where the driver reports no traffic, common waits and a common fall of the
// power. The evidence is measured while the GPUs work, so a hang does not end it. A GPU that stands still while the
// others go on ends it for half an hour. Equal utilization proves nothing. Without evidence, no GPU lags, rank_gone is
// a note, and job_hang is reported only for GPUs that have not been seen to work. In a group with traffic, a GPU that
// has none itself does not lag. docs/health.md has the figures, the doc comment of pace the reasons. Time without data,
// because a node was silent, the job suspended or the utilization unknown, is neither idle time nor a pause. While the
// GPUs of a job pause together, as for a checkpoint, nobody can tell whether one lags: for up to two minutes such a
// finding neither ends nor ages (Condition.Unclear), unless that GPU does more than before. health judges, and the
// Store keeps the time: the first severity reported is the one that held for a third of the time. A GPU "lags", it is
// never "broken": a constant difference may be the way in which the job divides its work. test/shapes measures the
// true and the false findings of a change to these rules.
//
// What no comparison shows is found without one: past.go compares a job with its own past, fallback.go finds an
// exchange that goes over PCIe on all GPUs of a node, memory.go a memory that will be full. These say nothing rather
// than accuse a program that does other work by its own choice.
//
// An output that is printed once takes two reports of each node (poller.Config.Second), so that rates exist and rules
// that need two samples can hold. Snapshot.NotChecked lists the problems for which the nodes have not reported long
// enough: each row of the rules says how long its problem takes.
package health

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// ruleSubject is what a rule examines, with the numbers to compare it with.
type ruleSubject struct {
	cluster.Subject
	limits *Thresholds
}

// rule is one kind of problem.
type rule struct {
	kind     cluster.Kind
	scope    cluster.Scope
	severity cluster.Severity
	holds    func(ruleSubject) bool
	after    time.Duration // how long it must hold in all before it is reported; a pause takes off half its length
	lasts    Threshold     // if set, a time that users can set, which replaces after
	ofGPUs   bool          // it matters only to jobs with GPUs on the node
	every    bool          // of a node: it holds for every GPU
	only     bool          // if it holds, the rules below it in its scope do not apply
	often    bool          // it needs reports less than pace.Lapse apart

	// watch is how long a node must report before the rule can find something, if after and lasts do not say so. May be
	// nil.
	watch func(*Thresholds) time.Duration

	when   string // the condition in words, for docs/health.md; {key} is a threshold
	source string // where its facts or its limit come from
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
			return compareGPUs(ruleSubject{s, &limits})
		case cluster.ScopeWatch:
			return listUnchecked(ruleSubject{s, &limits})
		case cluster.ScopeJobWatch:
			return listUncompared(s)
		}
		return findConditions(ruleSubject{s, &limits})
	}
}

// findConditions returns the conditions that hold.
func findConditions(s ruleSubject) []cluster.Condition {
	var held []cluster.Condition
	for _, r := range byScope[s.Scope] {
		if len(held) > 0 && held[len(held)-1].Kind == r.kind || !r.holds(s) {
			continue
		}
		held = append(held, r.newCondition(s))
		if r.only {
			break
		}
	}
	return held
}

// newCondition returns the Condition of a rule that holds. A node's state has its own beginning and class, and a hung
// call has its own duration.
func (r *rule) newCondition(s ruleSubject) cluster.Condition {
	c := cluster.Condition{Kind: r.kind, Severity: r.severity, After: r.after, OfGPUs: r.ofGPUs, Every: r.every}
	if r.lasts != noThreshold {
		c.After = s.limits.durationOf(r.lasts)
	}
	switch {
	case r.kind == cluster.KindHang:
		c.Since = s.Node.Arrived.Add(-signs.LongestHang(s.Node, s.GPU))
	case r.kind == cluster.KindXid:
		first, _ := signs.XidCauseOn(s.Node, s.GPU)
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
