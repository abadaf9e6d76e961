// Package poller watches nodes. One goroutine per node dials it, reads its reports, waits after a failure and dials
// again. A Manager keeps the set of watched nodes equal to the wanted set. Only the Opener knows how a node is reached.
//
// All methods of Manager may be called from any goroutine; only Run and Ask block. Events of one node are emitted in
// order. Events of several nodes interleave, so emit must be safe for concurrent use. The last event of a dropped node
// is Gone. The end of Run emits no event: closing the sessions is no news about a node, and consumers of the events
// keep the nodes as they were. A node that sends more than requested is cut off, and a panic costs one node, not the
// program.
//
// A new node, or a node whose session has just ended, is dialed at once, whatever the number of nodes: each needs a
// connection anyway, and the Opener limits the load on the processor. Nodes whose last attempt failed share a few
// tokens, since a dead node does not answer for seconds. So dead nodes do not delay healthy nodes.
//
// # Many nodes at once
//
//   - The poller dials a new node, or a node whose session has ended, at once, whatever the number of nodes: each needs
//     a connection anyway. Nodes whose last attempt failed share tokens, so a cluster that is switched off is dialed
//     slowly. A dead node delays no other node.
//   - After a node has ended a session in the cgroup of a job (pam_slurm_adopt), the poller pauses for about 10 s. A
//     login without a pause was put into the ending job again: SLURM then took a minute to end the job, and may drain
//     the node for it.
package poller

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/bell"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Config configures a Manager.
type Config struct {
	Opener   Opener
	Interval time.Duration // between two reports of a node
	Second   time.Duration // from the first report of a session to the second, if that is sooner; 0: Interval
	Retries  int           // maximum number of nodes dialed at the same time after a failed attempt
	Urge     func()        // called when the user wants failed things retried now; may be nil

	Most   int           // maximum number of watched nodes; 0: all
	Beyond reach.Failure // failure of the other nodes

	// After this time without a Touch, or after a Leave, the interval is IdleFactor times longer, up to MaxInterval,
	// until the next Touch. 0: never.
	IdleAfter  time.Duration
	IdleFactor int

	Log *slog.Logger // may be nil
}

// MaxInterval is the longest interval that a probe accepts.
const MaxInterval = 10 * time.Minute

// Manager watches a changing set of nodes.
type Manager struct {
	cfg     Config
	retries chan struct{} // holds a token per running attempt that follows a failed one
	signs   bell.Bell     // the user's signs
	gone    atomic.Bool   // the last sign was Leave

	mu      sync.Mutex // protects the following
	ctx     context.Context
	emit    func(cluster.Event)
	wanted  []string
	nodes   map[string]*watchedNode
	leaving map[string]context.Context // dropped nodes: done after their last event
	beyond  map[string]bool            // wanted nodes that are not watched, with an event about it
	listed  string                     // the node whose processes are wanted, EveryNode, or none
	idle    bool                       // there was no Touch for a while, or none since Leave
	wg      sync.WaitGroup
}

// New returns a Manager that watches nothing yet.
func New(cfg Config) *Manager {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Manager{
		cfg: cfg, retries: make(chan struct{}, cfg.Retries), signs: bell.New(),
		nodes: map[string]*watchedNode{}, leaving: map[string]context.Context{}, beyond: map[string]bool{},
	}
}

// Run watches the wanted nodes until ctx ends, and returns when the last session is closed.
func (m *Manager) Run(ctx context.Context, emit func(cluster.Event)) {
	m.mu.Lock()
	m.ctx = ctx
	m.emit = func(e cluster.Event) {
		if ctx.Err() == nil {
			crash.RunAside(func() { emit(e) })
		}
	}
	m.reconcileNodes()
	m.mu.Unlock()

	m.slowWhileAway(ctx)
	m.mu.Lock()
	m.ctx = nil // no more nodes start
	m.mu.Unlock()
	m.wg.Wait()
}

// Touch records that the user is present.
func (m *Manager) Touch() {
	m.gone.Store(false)
	m.signs.Ring()
}

// Leave records that the user has gone, until the next Touch.
func (m *Manager) Leave() {
	m.gone.Store(true)
	m.signs.Ring()
}

// slowWhileAway slows the nodes down while the user is away, until ctx ends.
func (m *Manager) slowWhileAway(ctx context.Context) {
	if m.cfg.IdleAfter == 0 {
		<-ctx.Done()
		return
	}
	timer := time.NewTimer(m.cfg.IdleAfter)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.signs:
			timer.Reset(m.cfg.IdleAfter)
			m.setIdle(m.gone.Load())
		case <-timer.C:
			m.setIdle(true)
		}
	}
}

func (m *Manager) setIdle(idle bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.idle == idle {
		return
	}
	m.idle = idle
	for _, n := range m.nodes {
		n.interval.Store(int64(m.wantedInterval()))
		n.requestPace()
	}
}

// wantedInterval returns the interval of reports that is wanted now. m.mu is held.
func (m *Manager) wantedInterval() time.Duration {
	if !m.idle {
		return m.cfg.Interval
	}
	return max(m.cfg.Interval, min(m.cfg.Interval*time.Duration(m.cfg.IdleFactor), MaxInterval))
}

// SetNodes sets the watched nodes. New nodes are dialed; all nodes that are no longer wanted are closed and end with a
// Gone event.
func (m *Manager) SetNodes(names []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wanted = names
	m.reconcileNodes()
}

// reconcileNodes brings the running nodes in line with the wanted ones. m.mu is held.
func (m *Manager) reconcileNodes() {
	if m.ctx == nil {
		return
	}
	wanted := m.nodesToWatch()
	maps.DeleteFunc(m.leaving, func(_ string, done context.Context) bool { return done.Err() != nil })
	for name, n := range m.nodes {
		if !wanted[name] {
			n.cancel()
			delete(m.nodes, name)
			m.leaving[name] = n.done
		}
	}
	for _, name := range m.wanted {
		if wanted[name] && m.nodes[name] == nil {
			delete(m.beyond, name)
			m.startNode(name)
		}
	}
	m.tellBeyond(wanted)
}

// nodesToWatch returns the nodes to watch: of the wanted nodes, those already watched come first, so that no node loses
// its place.
func (m *Manager) nodesToWatch() map[string]bool {
	admitted := make(map[string]bool, len(m.wanted))
	room := func() bool { return m.cfg.Most == 0 || len(admitted) < m.cfg.Most }
	for _, name := range m.wanted {
		if m.nodes[name] != nil && room() {
			admitted[name] = true
		}
	}
	for _, name := range m.wanted {
		if room() {
			admitted[name] = true
		}
	}
	return admitted
}

// tellBeyond emits an event once for each node beyond the limit, saying that there are too many nodes. It emits Gone
// when the node is no longer wanted.
func (m *Manager) tellBeyond(admitted map[string]bool) {
	wanted := make(map[string]bool, len(m.wanted))
	now := time.Now()
	for _, name := range m.wanted {
		wanted[name] = true
		if last := m.leaving[name]; !admitted[name] && last != nil {
			context.AfterFunc(last, m.reconcileAfterDrop) // else the end of the watch would be its last event
		} else if !admitted[name] && !m.beyond[name] {
			m.beyond[name] = true
			m.emit(cluster.Event{At: now, Node: name, Down: &cluster.Down{Failure: m.cfg.Beyond}})
		}
	}
	for name := range m.beyond {
		if !wanted[name] {
			delete(m.beyond, name)
			m.emit(cluster.Event{At: now, Node: name, Gone: true})
		}
	}
}

// reconcileAfterDrop reconciles after the last event of a dropped node.
func (m *Manager) reconcileAfterDrop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ctx.Err() == nil {
		m.reconcileNodes()
	}
}

func (m *Manager) startNode(name string) {
	ctx, cancel := context.WithCancel(m.ctx)
	done, left := context.WithCancel(context.Background())
	n := &watchedNode{
		name: name, opener: m.cfg.Opener, base: m.cfg.Interval, second: m.cfg.Second, retries: m.retries,
		journal: journal{log: m.cfg.Log.With("node", name)}, emit: m.emit, cancel: cancel,
		before: m.leaving[name], done: done,
		retry: bell.New(),
	}
	delete(m.leaving, name)
	n.interval.Store(int64(m.wantedInterval()))
	n.processes.Store(m.listed == name || m.listed == cluster.EveryNode)
	m.nodes[name] = n
	m.wg.Go(func() {
		defer left()
		defer crash.End()
		n.watchNode(ctx)
	})
}

// Look sets the node whose processes are wanted, if any. cluster.EveryNode means all nodes.
func (m *Manager) Look(name string, processes bool) {
	if !processes {
		name = ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.listed = name
	for _, n := range m.nodes {
		if want := name == n.name || name == cluster.EveryNode; n.processes.Swap(want) != want {
			n.requestPace()
		}
	}
}

// Ask sends a request to the probe of a node and waits for its answer. A Reply with an Error is an answer. Ask fails if
// there is no answer, with a reach.ErrNoReply if the request may have arrived. It blocks until the answer, or until ctx
// or the session ends. A signal is logged before it is sent, and again with its results.
func (m *Manager) Ask(ctx context.Context, name string, r wire.Request) (wire.Reply, error) {
	if r.Signal == nil {
		return m.askNode(ctx, name, r)
	}
	log := m.cfg.Log.With("node", name)
	logAsked(log, r.Signal)
	reply, err := m.askNode(ctx, name, r)
	logSignal(log, r.Signal, &reply, err)
	return reply, err
}

func (m *Manager) askNode(ctx context.Context, name string, r wire.Request) (wire.Reply, error) {
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

// Retry makes waiting nodes start their next attempt now.
func (m *Manager) Retry() {
	if m.cfg.Urge != nil {
		m.cfg.Urge()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range m.nodes {
		n.retry.Ring()
	}
}
