package poller

import (
	"context"
	"io"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// fakeNode is one node of a fakeCluster: what Open and the session do.
type fakeNode struct {
	fail  func(try int) error // nil error: the session opens
	life  time.Duration       // of a session; 0: forever
	slow  time.Duration       // of Open
	quiet time.Duration       // until its sessions send no more reports; 0: never
	late  bool                // its sessions hand out one more report after Close
	job   string              // the job of its sessions' cgroup
	tries int
}

type fakeCluster struct {
	mu       sync.Mutex
	nodes    map[string]*fakeNode
	opening  int
	peak     int
	sessions map[string]int // open sessions
	paces    map[string][]wire.Pace
	slow     time.Duration // of Open
	answer   func(wire.Request) (wire.Reply, error)
	opened   func(*fakeSession) // called for each session
	first    []string           // nodes with which a watch begins; none: the test sets them
}

// newFakeCluster is a cluster in which a watch begins with the nodes "a", "b" and so on.
func newFakeCluster(nodes ...*fakeNode) *fakeCluster {
	c := &fakeCluster{nodes: map[string]*fakeNode{}, sessions: map[string]int{}, paces: map[string][]wire.Pace{}}
	for i, n := range nodes {
		c.nodes[string(rune('a'+i))] = n
	}
	c.first = slices.Sorted(maps.Keys(c.nodes))
	return c
}

func (c *fakeCluster) tries(node string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nodes[node].tries
}

func (c *fakeCluster) Route(context.Context, string) reach.Route {
	return reach.Route{Door: "ssh", Stages: []reach.Stage{"name"}}
}

func (c *fakeCluster) Open(ctx context.Context, node string, step func(reach.Step)) (Session, error) {
	c.mu.Lock()
	c.opening++
	c.peak = max(c.peak, c.opening)
	n := c.nodes[node]
	n.tries++
	try := n.tries
	c.mu.Unlock()
	step(reach.Step{Stage: "name", State: reach.StepBegan})
	defer func() { c.mu.Lock(); c.opening--; c.mu.Unlock() }()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(max(c.slow, n.slow)):
	}
	if n.fail != nil {
		if err := n.fail(try); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	c.sessions[node]++
	c.mu.Unlock()
	s := &fakeSession{cluster: c, node: node, late: n.late, job: n.job, more: make(chan wire.Message, 1000),
		closed: make(chan struct{}), tick: time.NewTicker(3 * time.Second)}
	if n.quiet > 0 {
		time.AfterFunc(n.quiet, s.tick.Stop)
	}
	if n.life > 0 {
		s.end = time.After(n.life)
	}
	if c.opened != nil {
		c.opened(s)
	}
	return s, nil
}

type fakeSession struct {
	cluster *fakeCluster
	node    string
	closed  chan struct{}
	once    sync.Once
	tick    *time.Ticker
	end     <-chan time.Time
	said    bool
	late    bool
	job     string
	more    chan wire.Message // beside the regular reports
}

func (s *fakeSession) Next() (wire.Message, error) {
	if !s.said {
		s.said = true
		return wire.Message{Hello: &wire.Hello{Host: s.node, Job: s.job}}, nil
	}
	select {
	case <-s.closed:
		if s.late {
			s.late = false
			return wire.Message{Report: &wire.Report{}}, nil
		}
		return wire.Message{}, io.ErrClosedPipe
	case <-s.end:
		return wire.Message{}, &reach.Failure{Class: reach.ClassClosed, Short: "connection closed"}
	case m := <-s.more:
		return m, nil
	case <-s.tick.C:
		return wire.Message{Report: &wire.Report{}}, nil
	}
}

func (s *fakeSession) Call(ctx context.Context, r wire.Request) (wire.Reply, error) {
	s.cluster.mu.Lock()
	defer s.cluster.mu.Unlock()
	if r.Pace != nil {
		s.cluster.paces[s.node] = append(s.cluster.paces[s.node], *r.Pace)
	}
	if s.cluster.answer != nil {
		return s.cluster.answer(r)
	}
	return wire.Reply{}, nil
}

func (s *fakeSession) Close() error {
	s.once.Do(func() {
		close(s.closed)
		s.tick.Stop()
		s.cluster.mu.Lock()
		s.cluster.sessions[s.node]--
		s.cluster.mu.Unlock()
	})
	return nil
}

// record is an emit that keeps its events.
type record struct {
	mu     sync.Mutex
	events []cluster.Event
}

func (r *record) emit(e cluster.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *record) count(keep func(cluster.Event) bool) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, e := range r.events {
		if keep(e) {
			n++
		}
	}
	return n
}

// watch runs a Manager over c inside a synctest bubble while test runs.
func watch(t *testing.T, c *fakeCluster, dials int, test func(m *Manager, r *record)) {
	t.Helper()
	watchWith(t, c, Config{Opener: c, Interval: 3 * time.Second, Retries: dials}, test)
}

// watchWith is watch with a whole Config.
func watchWith(t *testing.T, c *fakeCluster, cfg Config, test func(m *Manager, r *record)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		m, r := New(cfg), &record{}
		var wg sync.WaitGroup
		wg.Go(func() { m.Run(ctx, r.emit) })
		if len(c.first) > 0 {
			m.SetNodes(c.first)
		}
		test(m, r)
		cancel()
		wg.Wait()
		for node, open := range c.sessions {
			if open != 0 {
				t.Errorf("%s: %d sessions are open after Run returned", node, open)
			}
		}
	})
}

// pass lets time pass, and everything that was to happen by then happen.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
