package store

import (
	"math"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

const (
	// catchUp is how long the nodes have after a silence to report again. Nodes that take longer have a problem of
	// their own.
	catchUp = 30 * time.Second

	// maxSilences limits the silences that are remembered.
	maxSilences = 16
)

// silences has the silences of all nodes of a Store.
type silences struct {
	heard time.Time         // the last report of any node
	past  []cluster.Silence // newest last, at most maxSilences, none over for longer than Remember
	track track
}

// noteReport notes the time of a report of one of these nodes. It ends a silence that came before the report.
func (s *silences) noteReport(n *nodeRecord, nodes map[string]*nodeRecord, at time.Time, rules cluster.Rules) {
	if s.heard.Sub(at) > n.Patience() { // this host's clock went back, so times of the past mean nothing
		*s = silences{}
	}
	over := cluster.Silence{From: s.heard, Over: at}
	if !s.heard.IsZero() && at.Sub(s.heard) > n.Patience() && countSharers(&over, nodes) > 1 {
		s.past = slices.DeleteFunc(slices.Clone(s.past),
			func(o cluster.Silence) bool { return at.Sub(o.Over) > cluster.Remember })
		s.past = append(s.past[max(len(s.past)+1-maxSilences, 0):], over)
		now := stepTime{at: at, gap: math.MaxInt64}
		s.track.stepSpells(rules(cluster.Subject{Scope: cluster.ScopeReach, Node: &cluster.Node{}, Silence: &over}), now)
		s.track.stepSpells(nil, now)
	}
	if at.After(s.heard) {
		s.heard = at
	}
}

// countSharers counts the nodes that have been silent until now. Nodes of ended jobs and new nodes do not count:
// between two jobs no node is silent.
func countSharers(s *cluster.Silence, nodes map[string]*nodeRecord) (count int) {
	for _, n := range nodes {
		state, _ := n.stateAt(s.Over)
		if n.sharesSilence(s, &cluster.Node{State: state, Failure: n.Failure}) {
			count++
		}
	}
	return count
}

func (s *silences) forkSilences() silences {
	c := *s
	c.track = *s.track.copyTrack()
	return c
}

// lone are the failures that a silence can explain. Other failures say more about the node.
var lone = []reach.Class{
	"", reach.ClassClosed, reach.ClassSilent, reach.ClassTimeout, reach.ClassNoRoute, reach.ClassFrozen,
}

// sharesSilence reports whether a node fell silent together with all others, and has not reported since. view is the
// current state of the node.
func (n *nodeRecord) sharesSilence(s *cluster.Silence, view *cluster.Node) bool {
	if n.Arrived.IsZero() || view.State == cluster.NodeReporting {
		return false
	}
	if n.Arrived.After(s.From) || s.From.Sub(n.Arrived) > n.Patience() {
		return false
	}
	return view.Failure == nil || slices.Contains(lone, view.Failure.Class)
}

// currentSilence returns the silence as of a Snapshot, with the nodes that share it; nil: there is none. some means
// that at least one node reports.
func (s *silences) currentSilence(nodes map[string]*nodeRecord, snap *cluster.Snapshot, some bool) (*cluster.Silence,
	map[string]bool) {
	var is cluster.Silence
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
		if n.sharesSilence(&is, snap.Nodes[name]) {
			shared[name] = true
		}
	}
	if is.Nodes = len(shared); is.Nodes == 0 || is.Over.IsZero() && is.Nodes < 2 {
		return nil, nil
	}
	return &is, shared
}

// snapshotSilences are the silences as of a Snapshot.
type snapshotSilences struct {
	*silences
	now    *cluster.Silence // nil: there is none
	shared map[string]bool  // the nodes that share it
	track  *track
}

func (s *silences) asOf(nodes map[string]*nodeRecord, snap *cluster.Snapshot, some bool,
	rules cluster.Rules) *snapshotSilences {
	at := snap.At
	h := &snapshotSilences{silences: s, track: s.track.asOf(at)}
	if h.now, h.shared = s.currentSilence(nodes, snap, some); h.now != nil {
		h.track = s.track.copyTrack()
		held := rules(cluster.Subject{Scope: cluster.ScopeReach, Node: &cluster.Node{}, Silence: h.now})
		h.track.stepSpells(held, stepTime{at: at, gap: math.MaxInt64})
	}
	return h
}

// coversSpell reports whether a problem with reaching a node was only part of a silence.
func (h *snapshotSilences) coversSpell(n *cluster.Node, s *spell) bool {
	if s.Kind != cluster.KindStale && s.Kind != cluster.KindFailed || !slices.Contains(lone, s.Class) {
		return false
	}
	if s.holds || h.shared[n.Name] && !s.since.After(h.now.From) && h.now.From.Sub(s.since) <= n.Patience() {
		return h.shared[n.Name]
	}
	return slices.ContainsFunc(h.past, func(o cluster.Silence) bool {
		return !s.since.After(o.From) && o.From.Sub(s.since) <= n.Patience() && !s.last.After(o.Over.Add(catchUp))
	})
}

// addNotices adds the silences to the notices of a job that has some of the nodes.
func (h *snapshotSilences) addNotices(all *notices, job *cluster.Job) {
	if h.now == nil || slices.ContainsFunc(job.Nodes, func(name string) bool { return h.shared[name] }) {
		reporting := &cluster.Node{State: cluster.NodeReporting}
		all.addSubject(reporting, &nodeOrGPU{number: cluster.NoNumber}, h.track, true, true)
	}
}
