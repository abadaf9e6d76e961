package install

import "sync"

// gate lets nodes that share a home directory share one copy of the probe: one node uploads it, the others wait a moment and look again.
// Once a node has waited in vain, homes are assumed to be separate, and nobody waits.
type gate struct {
	mu      sync.Mutex
	apart   bool
	done    int           // successful uploads
	running chan struct{} // closed when the current upload ends; nil: there is none
}

// copies counts the successful uploads.
func (g *gate) copies() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.done
}

// enter returns a channel that closes when it is worth looking again, or nil when the caller should upload. If it is the copier, others wait
// for it, and it must call leave. seen is the value of copies before the caller looked; inVain means that it has waited before.
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
