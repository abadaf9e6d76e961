package install

import (
	"context"
	"sync"
	"time"
)

// maxCopies is how many copies run at a time, for all nodes together: more copies only slow each other down, until they
// exceed their deadlines.
const maxCopies = 4

// gate decides which nodes copy the probe, and when. Nodes with the same home need one copy, and nobody can know in
// advance which nodes share a home. So one node copies the probe to its home, and the others wait as long as the copy
// makes progress; when it fails or stalls, another node takes over. Then the waiting nodes look again. A node that does
// not find the finished copy has another home, and copies the probe without waiting.
type gate struct {
	mu      sync.Mutex
	running int                   // copies under way
	done    int                   // copies to homes that have succeeded
	herds   map[string]*copyGroup // by the hash of the payload
	changed chan struct{}         // closed at the next change
}

// copyGroup is the set of nodes that need the same payload in their homes.
type copyGroup struct {
	first, last int // first and last successful copy, as numbers of gate.done; 0: none

	// the last copy failed because of its home, for example because of a quota: in a shared home all would fail, so
	// nobody waits
	refused bool
	leader  *copyTurn // the one that the others wait for; nil: nobody
}

// copyTurn is the right to make a copy.
type copyTurn struct {
	herd  *copyGroup // nil: not to a home
	began time.Time

	mu   *sync.Mutex // of the gate; protects the following
	last time.Time   // when it last made progress
}

// outcome is the end of a copy.
type outcome int

const (
	broken  outcome = iota // it failed with its node or connection, which says nothing about the home
	refused                // the home cannot hold the copy
	copied
)

// copyRequest is a node's request to the gate.
type copyRequest struct {
	payload string // its hash
	home    bool   // whether the copy goes to the home
	seen    int    // gate.done before the node looked in vain
	alone   bool   // no other node's copy can help this node
}

// hasOwnHome reports whether it is certain that no other node's copy is in the node's home, given gate.done when the
// node looked.
func (h *copyGroup) hasOwnHome(seen int) bool { return h.first > 0 && h.first <= seen }

// countCopies returns how many copies to homes have succeeded.
func (g *gate) countCopies() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.done
}

// findHerd returns the nodes that need a payload. g.mu is held.
func (g *gate) findHerd(payload string) *copyGroup {
	if g.herds == nil {
		g.herds, g.changed = map[string]*copyGroup{}, make(chan struct{})
	}
	h := g.herds[payload]
	if h == nil {
		h = &copyGroup{}
		g.herds[payload] = h
	}
	return h
}

// awaitTurn waits until a node may copy; the node must then call endTurn. If again is true, the node should look for a
// copy first. It may come with a turn, so that no other node takes the turn meanwhile; without a turn, the node must
// ask again. awaitTurn calls waits before each wait.
func (g *gate) awaitTurn(ctx context.Context, w copyRequest, l Limits, waits func()) (t *copyTurn, again bool,
	err error) {
	for {
		t, again, changed, within := g.answerWish(w, l)
		if t != nil || again {
			return t, again, nil
		}
		waits()
		stalled := time.NewTimer(within)
		select {
		case <-changed:
		case <-stalled.C:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		stalled.Stop()
		if err != nil {
			return nil, false, err
		}
	}
}

// answerWish answers a wish at once. If there is no answer yet, it returns how soon to ask again.
func (g *gate) answerWish(w copyRequest, l Limits) (t *copyTurn, again bool, changed <-chan struct{},
	within time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	h := g.findHerd(w.payload)
	apart, news := w.alone || h.hasOwnHome(w.seen), w.home && !w.alone && h.last > w.seen
	switch {
	case news && !apart:
		return nil, true, nil, 0
	case g.running == maxCopies:
		return nil, false, g.changed, l.Upload
	case w.home && !apart && !h.refused && h.leader != nil:
		if within = h.leader.timeToWait(l); within > 0 {
			return nil, false, g.changed, within
		}
	}
	t = &copyTurn{began: time.Now(), last: time.Now(), mu: &g.mu}
	if w.home {
		t.herd = h
		if !apart {
			h.leader = t
		}
	}
	g.running++
	return t, news, nil, 0
}

// timeToWait returns how long other nodes still wait for this turn if it makes no progress.
func (t *copyTurn) timeToWait(l Limits) time.Duration {
	return min(l.Stall-time.Since(t.last), l.Upload-time.Since(t.began))
}

// noteProgress records that the copy makes progress.
func (t *copyTurn) noteProgress() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = time.Now()
}

func (g *gate) endTurn(t *copyTurn, how outcome) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	if h := t.herd; h != nil {
		if h.leader == t {
			h.leader = nil
		}
		if how == copied {
			g.done++
			h.last = g.done
			if h.first == 0 {
				h.first = g.done
			}
		}
		h.refused = how == refused || how == broken && h.refused
	}
	close(g.changed)
	g.changed = make(chan struct{})
}
