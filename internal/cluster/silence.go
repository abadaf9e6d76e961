package cluster

import (
	"math"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
)

// Silence is a time in which no node has reported. Its cause is here or on the way, not on each node: it is one
// problem.
type Silence struct {
	From  time.Time // the last report
	Over  time.Time // the first one after it; zero: there was none yet
	Nodes int       // that have fallen silent with it and have not reported since
}

const (
	// catchUp is how long after a silence its nodes may take to report again. Those that take longer have a problem of
	// their own.
	catchUp = 30 * time.Second

	// maxSilences limits those that are remembered.
	maxSilences = 16
)

// silences are those of all nodes of a Store.
type silences struct {
	heard time.Time // the last report of any node
	past  []Silence // newest last, at most maxSilences, none over for longer than Remember
	track track
}

// hear takes a report of a node, one of these. The silence before it, if there was one, is over.
func (s *silences) hear(n *nodeRecord, nodes map[string]*nodeRecord, at time.Time, rules Rules) {
	if s.heard.Sub(at) > n.patience() { // the clock of this host has gone back: the times of the past mean nothing now
		*s = silences{}
	}
	over := Silence{From: s.heard, Over: at}
	if !s.heard.IsZero() && at.Sub(s.heard) > n.patience() && over.sharers(nodes) > 1 {
		s.past = slices.DeleteFunc(slices.Clone(s.past), func(o Silence) bool { return at.Sub(o.Over) > Remember })
		s.past = append(s.past[max(len(s.past)+1-maxSilences, 0):], over)
		now := moment{at: at, gap: math.MaxInt64}
		s.track.step(rules(Subject{Scope: ScopeReach, Node: &Node{}, Silence: &over}), now)
		s.track.step(nil, now)
	}
	if at.After(s.heard) {
		s.heard = at
	}
}

// sharers counts the nodes that were silent until now. Those of jobs that have ended do not count, nor new ones:
// between two jobs nobody is silent.
func (s *Silence) sharers(nodes map[string]*nodeRecord) (count int) {
	for _, n := range nodes {
		state, _ := n.state(s.Over)
		if n.shares(s, &Node{State: state, Failure: n.Failure}) {
			count++
		}
	}
	return count
}

func (s *silences) fork() silences {
	c := *s
	c.track = *s.track.copy()
	return c
}

// lone are the failures that may come of a silence. Others say more about the node.
var lone = []reach.Class{
	"", reach.ClassClosed, reach.ClassSilent, reach.ClassTimeout, reach.ClassNoRoute, reach.ClassFrozen,
}

// shares reports whether a node fell silent with all others, and has not reported since. view is the node now.
func (n *nodeRecord) shares(s *Silence, view *Node) bool {
	if n.Arrived.IsZero() || view.State == NodeReporting {
		return false
	}
	if n.Arrived.After(s.From) || s.From.Sub(n.Arrived) > n.patience() {
		return false
	}
	return view.Failure == nil || slices.Contains(lone, view.Failure.Class)
}

// now returns the silence as of a Snapshot, with the nodes that share it; nil: there is none. some says that some node
// reports.
func (s *silences) now(nodes map[string]*nodeRecord, snap *Snapshot, some bool) (*Silence, map[string]bool) {
	var is Silence
	switch last := len(s.past) - 1; {
	case !some:
		is.From = s.heard
	case last >= 0 && snap.At.Sub(s.past[last].Over) <= catchUp:
		is = s.past[last]
	default:
		return nil, nil
	}
	shared := map[string]bool{}
	for name, n := range nodes {
		if n.shares(&is, snap.Nodes[name]) {
			shared[name] = true
		}
	}
	if is.Nodes = len(shared); is.Nodes == 0 || is.Over.IsZero() && is.Nodes < 2 {
		return nil, nil
	}
	return &is, shared
}

// hush is the silences as of a Snapshot.
type hush struct {
	*silences
	now    *Silence        // nil: there is none
	shared map[string]bool // the nodes that share it
	track  *track
}

func (s *silences) asOf(nodes map[string]*nodeRecord, snap *Snapshot, some bool, rules Rules) *hush {
	at := snap.At
	h := &hush{silences: s, track: s.track.asOf(at)}
	if h.now, h.shared = s.now(nodes, snap, some); h.now != nil {
		h.track = s.track.copy()
		held := rules(Subject{Scope: ScopeReach, Node: &Node{}, Silence: h.now})
		h.track.step(held, moment{at: at, gap: math.MaxInt64})
	}
	return h
}

// covers reports whether a problem of how a node is reached was only its part of a silence.
func (h *hush) covers(n *Node, s *spell) bool {
	if s.Kind != KindStale && s.Kind != KindFailed || !slices.Contains(lone, s.Class) {
		return false
	}
	if s.holds || h.shared[n.Name] && !s.since.After(h.now.From) && h.now.From.Sub(s.since) <= n.patience() {
		return h.shared[n.Name]
	}
	return slices.ContainsFunc(h.past, func(o Silence) bool {
		return !s.since.After(o.From) && o.From.Sub(s.since) <= n.patience() && !s.last.After(o.Over.Add(catchUp))
	})
}

// add adds the silences to the notices of a job with some of the nodes.
func (h *hush) add(all *notices, job *Job) {
	if h.now == nil || slices.ContainsFunc(job.Nodes, func(name string) bool { return h.shared[name] }) {
		all.addPlace(&Node{State: NodeReporting}, &place{number: NoNumber}, h.track, true, true)
	}
}
