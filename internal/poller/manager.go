// Package poller watches nodes: one goroutine a node leads it through its life (dial, stream, wait, again), and a Manager keeps the set
// of watched nodes equal to the wanted one. How a node is reached only the Opener knows.
//
// All methods of Manager may be called from any goroutine; only Run and Ask block. Events of one node are emitted in order; those of
// several nodes interleave, so emit must be safe for concurrent use. The last event of a node that was dropped is Gone.
package poller

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Config is what a Manager needs.
type Config struct {
	Opener   Opener
	Interval time.Duration // between two reports of a node
	Dials    int           // how many nodes are dialed at the same time, at most
}

// Manager watches a changing set of nodes.
type Manager struct {
	cfg   Config
	dials chan struct{} // a token for each attempt under way

	mu      sync.Mutex // protects the following
	ctx     context.Context
	emit    func(cluster.Event)
	wanted  []string
	nodes   map[string]*node
	leaving map[string]context.Context // names that were dropped: done when their last event is out
	listed  string                     // the node whose processes are wanted, EveryNode, or none
	wg      sync.WaitGroup
}

// New returns a Manager that watches nothing yet.
func New(cfg Config) *Manager {
	return &Manager{cfg: cfg, dials: make(chan struct{}, cfg.Dials), nodes: map[string]*node{}, leaving: map[string]context.Context{}}
}

// Run watches the wanted nodes until ctx ends, and returns when the last session is closed.
func (m *Manager) Run(ctx context.Context, emit func(cluster.Event)) {
	m.mu.Lock()
	m.ctx, m.emit = ctx, emit
	m.reconcile()
	m.mu.Unlock()

	<-ctx.Done()
	m.mu.Lock()
	m.ctx = nil // no node starts any more
	m.mu.Unlock()
	m.wg.Wait()
}

// SetNodes makes names the watched nodes: new ones are dialed, those not named are closed and end in a Gone event.
func (m *Manager) SetNodes(names []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wanted = names
	m.reconcile()
}

// reconcile brings the running nodes in line with the wanted ones. m.mu is held.
func (m *Manager) reconcile() {
	if m.ctx == nil {
		return
	}
	wanted := make(map[string]bool, len(m.wanted))
	for _, name := range m.wanted {
		wanted[name] = true
		if m.nodes[name] == nil {
			m.start(name)
		}
	}
	maps.DeleteFunc(m.leaving, func(_ string, done context.Context) bool { return done.Err() != nil })
	for name, n := range m.nodes {
		if !wanted[name] {
			n.cancel()
			delete(m.nodes, name)
			m.leaving[name] = n.done
		}
	}
}

func (m *Manager) start(name string) {
	ctx, cancel := context.WithCancel(m.ctx)
	done, left := context.WithCancel(context.Background())
	n := &node{
		name: name, opener: m.cfg.Opener, interval: m.cfg.Interval, dials: m.dials, emit: m.emit, cancel: cancel,
		before: m.leaving[name], done: done,
		repace: bell.New(), retry: bell.New(),
	}
	delete(m.leaving, name)
	n.processes.Store(m.listed == name || m.listed == cluster.EveryNode)
	m.nodes[name] = n
	m.wg.Go(func() {
		defer left()
		n.run(ctx)
	})
}

// Look says whether processes are wanted, and of which node; cluster.EveryNode is all of them.
func (m *Manager) Look(name string, processes bool) {
	if !processes {
		name = ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.listed = name
	for _, n := range m.nodes {
		if want := name == n.name || name == cluster.EveryNode; n.processes.Swap(want) != want {
			n.repace.Ring()
		}
	}
}

// Ask asks the probe of a node for something, and waits for its answer. A Reply with an Error is one; the error of Ask says why there is
// none. It blocks, as the only method but Run, until ctx or the session ends.
func (m *Manager) Ask(ctx context.Context, name string, r wire.Request) (wire.Reply, error) {
	m.mu.Lock()
	n := m.nodes[name]
	m.mu.Unlock()
	if n == nil {
		return wire.Reply{}, fmt.Errorf("%q is not watched", name)
	}
	session := n.session.Load()
	if session == nil {
		return wire.Reply{}, fmt.Errorf("%q is not connected", name)
	}
	reply, err := (*session).Call(ctx, r)
	if err != nil {
		return wire.Reply{}, fmt.Errorf("ask %q: %w", name, err)
	}
	return reply, nil
}

// Retry makes the nodes that wait for their next attempt try at once.
func (m *Manager) Retry() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range m.nodes {
		n.retry.Ring()
	}
}
