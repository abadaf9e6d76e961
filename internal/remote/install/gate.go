package install

import "sync"

// gate makes nodes that share a home share one copy of the probe: one node copies, the others wait for it for a moment and
// look again. Once a node has waited in vain, homes are taken to be the nodes' own, and nobody waits any more.
type gate struct {
	mu      sync.Mutex
	apart   bool
	done    int           // copies that have succeeded
	running chan struct{} // closed when the copy that is under way ends; nil: none is
}

// copies counts the copies that have succeeded.
func (g *gate) copies() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.done
}

// enter returns a channel that is closed when it is worth looking again, or nil when the caller is to copy. Others wait for that copy
// when it is the copier: then it must call leave. seen is what copies said before the caller looked; inVain that it has waited already.
func (g *gate) enter(seen int, inVain bool) (wait <-chan struct{}, copier bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.apart || inVain:
		g.apart = true
		return nil, false
	case g.done != seen:
		now := make(chan struct{})
		close(now)
		return now, false
	case g.running != nil:
		return g.running, false
	default:
		g.running = make(chan struct{})
		return nil, true
	}
}

// leave ends the copier's turn.
func (g *gate) leave(copied bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if copied {
		g.done++
	}
	close(g.running)
	g.running = nil
}
