package poller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// fakeNode is one node of a fakeCluster: what Open and the session do.
type fakeNode struct {
	fail  func(try int) error // nil error: the session opens
	life  time.Duration       // of a session; 0: forever
	slow  time.Duration       // of Open
	quiet time.Duration       // until its sessions send no more reports; 0: never
	late  bool                // its sessions hand out one more report after Close
	job   string              // whose cgroup its sessions are in
	tries int
}

type fakeCluster struct {
	mu       sync.Mutex
	nodes    map[string]*fakeNode
	opening  int
	peak     int
	sessions map[string]int // open ones
	paces    map[string][]wire.Pace
	slow     time.Duration // of Open
	answer   func(wire.Request) (wire.Reply, error)
	opened   func(*fakeSession) // called for each session
}

func newFakeCluster() *fakeCluster {
	return &fakeCluster{nodes: map[string]*fakeNode{}, sessions: map[string]int{}, paces: map[string][]wire.Pace{}}
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
	s := &fakeSession{cluster: c, node: node, late: n.late, job: n.job, more: make(chan wire.Message, 1000), closed: make(chan struct{}), tick: time.NewTicker(3 * time.Second)}
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

// record is an emit that keeps what it is given.
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
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		m, r := New(Config{Opener: c, Interval: 3 * time.Second, Retries: dials}), &record{}
		var wg sync.WaitGroup
		wg.Go(func() { m.Run(ctx, r.emit) })
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

func TestStreamsAndCloses(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"], c.nodes["b"] = &fakeNode{}, &fakeNode{}
	watch(t, c, 8, func(m *Manager, r *record) {
		m.SetNodes([]string{"a", "b"})
		pass(10 * time.Second)
		if n := r.count(func(e cluster.Event) bool { return e.Report != nil && e.Node == "a" }); n != 3 {
			t.Errorf("a sent %d reports in 10 s at 3 s, want 3", n)
		}
		m.SetNodes([]string{"b"})
		synctest.Wait()
		if c.sessions["a"] != 0 || c.sessions["b"] != 1 {
			t.Errorf("sessions %v after a was dropped, want only b's", c.sessions)
		}
		last := r.events[len(r.events)-1]
		if last.Node != "a" || !last.Gone {
			t.Errorf("last event %+v, want a gone", last)
		}
	})
}

func TestOneSessionANodeWhateverTheList(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{}
	watch(t, c, 8, func(m *Manager, r *record) {
		m.SetNodes([]string{"a", "a"})
		m.SetNodes([]string{"a"})
		pass(time.Second)
		if c.sessions["a"] != 1 || c.tries("a") != 1 {
			t.Errorf("%d sessions after %d tries, want one of each", c.sessions["a"], c.tries("a"))
		}
	})
}

func TestDroppedAndWantedAgain(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{}
	watch(t, c, 8, func(m *Manager, r *record) {
		for range 5 {
			m.SetNodes([]string{"a"})
			m.SetNodes(nil)
		}
		m.SetNodes([]string{"a"})
		pass(time.Second)
		// Each watch that spoke has ended before the next one speaks; the last one has not.
		begun := 0
		for _, e := range r.events {
			switch {
			case e.Try != nil:
				begun++
			case e.Gone:
				begun = 0
			}
			if begun > 1 {
				t.Fatal("a watch of the node began before the earlier one had ended")
			}
		}
		if begun != 1 {
			t.Error("an earlier watch of the node spoke after the last one had begun")
		}
	})
}

// What lies before the nodes, such as a jump host, is to be tried again before the nodes are.
func TestRetryUrgesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFakeCluster()
		open := false
		c.nodes["a"] = &fakeNode{fail: func(int) error {
			if open {
				return nil
			}
			return &reach.Failure{Class: reach.ClassAuth, Short: "no"}
		}}
		ctx, cancel := context.WithCancel(t.Context())
		m, r := New(Config{Opener: c, Interval: 3 * time.Second, Retries: 1, Urge: func() { open = true }}), &record{}
		var wg sync.WaitGroup
		wg.Go(func() { m.Run(ctx, r.emit) })
		m.SetNodes([]string{"a"})
		pass(time.Minute)
		m.Retry()
		pass(5 * time.Second)
		if n := r.count(func(e cluster.Event) bool { return e.Hello != nil }); n != 1 {
			t.Errorf("%d sessions, want 1", n)
		}
		cancel()
		wg.Wait()
	})
}

func TestRetriesAreLimited(t *testing.T) {
	c := newFakeCluster()
	c.slow = time.Second
	var names []string
	for i := range 20 {
		name := string(rune('a' + i))
		c.nodes[name] = &fakeNode{fail: func(try int) error {
			if try == 1 {
				return &reach.Failure{Class: reach.ClassRefused, Short: "no"}
			}
			return nil
		}}
		names = append(names, name)
	}
	watch(t, c, 4, func(m *Manager, r *record) {
		m.SetNodes(names)
		pass(1500 * time.Millisecond)
		if c.peak != 20 {
			t.Errorf("%d first attempts at a time, want all 20", c.peak)
		}
		c.mu.Lock()
		c.peak = 0
		c.mu.Unlock()
		pass(4 * time.Second) // until 5.5 s; the waits end after 1.8 to 2.2 s
		if c.peak != 4 {
			t.Errorf("%d retries at a time, want 4", c.peak)
		}
		if n := r.count(func(e cluster.Event) bool { return e.Hello != nil }); n != 12 {
			t.Errorf("%d nodes after 5.5 s, want 12: 4 a second", n)
		}
	})
}

// Neither a new node nor one whose session has ended waits for nodes that answer nothing.
func TestDeadNodesKeepNobodyWaiting(t *testing.T) {
	c := newFakeCluster()
	var names []string
	for i := range 320 {
		names = append(names, fmt.Sprintf("dead%d", i))
		c.nodes[names[i]] = &fakeNode{slow: 5 * time.Second, fail: func(int) error {
			return &reach.Failure{Class: reach.ClassTimeout, Short: "no response after 5s"}
		}}
	}
	c.nodes["last"], c.nodes["new"] = &fakeNode{life: time.Minute}, &fakeNode{}
	watch(t, c, 4, func(m *Manager, r *record) {
		hellos := func(node string) int {
			return r.count(func(e cluster.Event) bool { return e.Hello != nil && e.Node == node })
		}
		m.SetNodes(append(names, "last"))
		pass(time.Second)
		if hellos("last") != 1 {
			t.Error("the last node is not there after 1 s")
		}
		pass(30 * time.Second) // every token is taken
		m.SetNodes(append(names, "last", "new"))
		pass(time.Second)
		if hellos("new") != 1 {
			t.Error("a new node is not there after 1 s")
		}
		pass(32 * time.Second)
		if hellos("last") != 2 {
			t.Errorf("%d sessions of the node whose session has ended, want 2", hellos("last"))
		}
	})
}

func TestBackoff(t *testing.T) {
	for _, tc := range []struct {
		class    reach.Class
		in       time.Duration
		min, max int // tries
	}{
		{reach.ClassRefused, 7 * time.Second, 3, 4},         // at 0, 1, 3, 7 s, give or take 20 %
		{reach.ClassRefused, 10 * time.Minute, 20, 30},      // never more than 30 s
		{reach.ClassHostKeyChanged, 14 * time.Second, 2, 3}, // at 0, 5, 15 s
		{reach.ClassAuth, time.Hour, 12, 22},                // never more than 5 min
	} {
		t.Run(string(tc.class)+tc.in.String(), func(t *testing.T) {
			c := newFakeCluster()
			c.nodes["a"] = &fakeNode{fail: func(int) error { return &reach.Failure{Class: tc.class, Short: "no"} }}
			watch(t, c, 1, func(m *Manager, r *record) {
				m.SetNodes([]string{"a"})
				pass(tc.in)
				if got := c.tries("a"); got < tc.min || got > tc.max {
					t.Errorf("%d tries in %v, want %d to %d", got, tc.in, tc.min, tc.max)
				}
			})
		})
	}
}

// Another door follows at once, and does not count as a failure to wait for. After the last door, the wait is that of the most delicate.
func TestAnotherDoorFollowsAtOnce(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{fail: func(try int) error {
		if try%3 != 0 {
			return &reach.Failure{Class: reach.ClassAuth, Short: "no", Next: true}
		}
		return &reach.Failure{Class: reach.ClassClosed, Short: "no", Doors: []reach.Tried{{Door: "ssh", Class: reach.ClassAuth}, {Door: "srun", Class: reach.ClassClosed}}}
	}}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		pass(3 * time.Second)
		if got := c.tries("a"); got != 3 {
			t.Errorf("%d tries at first, want 3 doors at once and then a wait of about 5 s", got)
		}
		pass(5 * time.Second)
		if got := c.tries("a"); got != 6 {
			t.Errorf("%d tries after 8 s, want 6", got)
		}
		if r.count(func(e cluster.Event) bool { return e.Try != nil && e.Try.Door == "ssh" }) != 6 {
			t.Error("an attempt does not tell its door")
		}
	})
}

func TestSteadyStreamResetsTheBackoff(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{life: 70 * time.Second}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		pass(15 * time.Minute)
		var waits []time.Duration
		for _, e := range r.events {
			if e.Down != nil {
				waits = append(waits, e.Down.Retry.Sub(e.At))
			}
		}
		if len(waits) < 10 {
			t.Fatalf("%d sessions ended in 15 min, want one in about 71 s", len(waits))
		}
		if longest := slices.Max(waits); longest > 1200*time.Millisecond {
			t.Errorf("waited %v after a session that had streamed, want about 1 s", longest)
		}
	})
}

// SLURM kills what is in a job that ends after 1, 3 and 7 s, and later ones: a session that came back between them would keep the job from ending.
func TestTheEndOfAJobIsNotDelayed(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{life: time.Minute, job: "7"}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		pass(time.Minute + 5*time.Second)
		m.Retry()
		pass(500 * time.Millisecond)
		if got := c.tries("a"); got != 1 {
			t.Errorf("%d tries within 5 s after the session has ended, want no second one", got)
		}
		pass(7 * time.Second)
		if got := c.tries("a"); got != 2 {
			t.Errorf("%d tries, want a second one after 6 s, since it was asked for", got)
		}
	})
}

// A node whose sessions end at once, reports or not, is not logged into again and again.
func TestShortSessionsAreBackedOffFrom(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{life: 4 * time.Second}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		pass(10 * time.Minute)
		if got := c.tries("a"); got < 15 || got > 30 {
			t.Errorf("%d logins in 10 min, want about one in 34 s after the first", got)
		}
	})
}

func TestRetryHasAFloor(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{fail: func(int) error { return &reach.Failure{Class: reach.ClassAuth, Short: "no"} }}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		for range 900 { // the user holds the key down for half a minute
			m.Retry()
			pass(time.Second / 30)
		}
		if got := c.tries("a"); got < 5 || got > 7 {
			t.Errorf("%d logins in 30 s, want one in 5 s", got)
		}
	})
}

// What was asked for while all was well does not hurry a retry after a later loss: that waits as long as it was said to.
func TestRetryIsForgotten(t *testing.T) {
	c := newFakeCluster()
	refused := func(try int) error {
		if try < 4 {
			return &reach.Failure{Class: reach.ClassRefused, Short: "no"}
		}
		return nil
	}
	c.nodes["a"] = &fakeNode{fail: refused, life: 30 * time.Second}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		pass(20 * time.Second) // the fourth try succeeds
		m.Retry()
		down := func() (last cluster.Event, n int) {
			n = r.count(func(e cluster.Event) bool {
				if e.Down != nil {
					last = e
				}
				return e.Down != nil
			})
			return last, n
		}
		lost, n := down()
		for range 400 {
			if lost, n = down(); n == 4 {
				break
			}
			pass(100 * time.Millisecond)
		}
		wait := lost.Down.Retry.Sub(lost.At)
		if n != 4 || wait < 6*time.Second {
			t.Fatalf("%d failures, the last one to be waited for %v: want 4, and about 8 s", n, wait)
		}
		pass(time.Until(lost.Down.Retry) - time.Millisecond)
		if c.tries("a") != 4 {
			t.Errorf("tried again before %v had passed since the loss", wait)
		}
		pass(2 * time.Millisecond)
		if c.tries("a") != 5 {
			t.Errorf("%d tries %v after the loss, want the fifth", c.tries("a"), wait)
		}
	})
}

func TestRetryDoesNotWait(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{fail: func(try int) error {
		if try < 5 {
			return &reach.Failure{Class: reach.ClassHostKeyChanged, Short: "changed"}
		}
		return nil
	}}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		pass(time.Second)
		for range 4 {
			m.Retry()
			pass(6 * time.Second)
		}
		if c.sessions["a"] != 1 {
			t.Errorf("no session 25 s and 4 keys later, %d tries made", c.tries("a"))
		}
	})
}

func TestLook(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"], c.nodes["b"] = &fakeNode{}, &fakeNode{}
	watch(t, c, 2, func(m *Manager, r *record) {
		m.SetNodes([]string{"a", "b"})
		pass(time.Second)
		m.Look("a", true)
		synctest.Wait()
		m.Look("b", true)
		synctest.Wait()
		m.Look("b", true)
		synctest.Wait()
		want := map[string][]bool{"a": {false, true, false}, "b": {false, true}}
		for node, list := range want {
			var got []bool
			for _, p := range c.paces[node] {
				got = append(got, p.Processes)
				if p.IntervalMS != 3000 {
					t.Errorf("%s was asked for a report every %d ms, want 3000", node, p.IntervalMS)
				}
			}
			if !slices.Equal(got, list) {
				t.Errorf("%s was asked for processes %v, want %v", node, got, list)
			}
		}
	})
}

// A probe that hangs in the driver is given up, in words, and another is tried.
func TestSilentProbeIsReplaced(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{quiet: 10 * time.Second}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		pass(43 * time.Second)
		if c.tries("a") != 1 {
			t.Errorf("%d tries, 34 s after the last report", c.tries("a"))
		}
		pass(4 * time.Second)
		if n := r.count(func(e cluster.Event) bool {
			return e.Down != nil && e.Down.Failure.Class == reach.ClassSilent && e.Down.Failure.Summary() == "no report for 35s"
		}); n != 1 {
			t.Errorf("%d failures of that kind, want one", n)
		}
		if c.tries("a") != 2 {
			t.Errorf("%d tries after the silence, want another", c.tries("a"))
		}
	})
}

// A report that slips in while a silent session is being closed does not hide why.
func TestSilenceIsToldWhateverSlipsIn(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{quiet: 10 * time.Second, late: true}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		pass(45 * time.Second)
		if n := r.count(func(e cluster.Event) bool { return e.Down != nil && e.Down.Failure.Summary() == "no report for 35s" }); n != 1 {
			t.Errorf("%d failures of that kind, want one", n)
		}
	})
}

// A connection that is found dead after half a minute of silence is called that, and not a driver that hangs.
func TestDeadConnectionIsNotCalledSilent(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{quiet: 10 * time.Second, life: 41 * time.Second}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		pass(42 * time.Second)
		if n := r.count(func(e cluster.Event) bool { return e.Down != nil && e.Down.Failure.Class == reach.ClassClosed }); n != 1 {
			t.Errorf("%d failures of the connection, want one", n)
		}
	})
}

func TestUnforeseenErrorsAreShown(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{fail: func(int) error { return errors.New("the moon is in the way") }}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		synctest.Wait()
		if n := r.count(func(e cluster.Event) bool {
			return e.Down != nil && e.Down.Failure.Summary() == "the moon is in the way"
		}); n != 1 {
			t.Error("the error did not become a failure")
		}
	})
}

// A mistake of ours on one node must not take the others with it.
func TestAPanicCostsOneNode(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{fail: func(try int) error { panic("the moon fell down") }}
	c.nodes["b"] = &fakeNode{}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a", "b"})
		pass(10 * time.Second)
		if n := r.count(func(e cluster.Event) bool { return e.Node == "b" && e.Report != nil }); n != 3 {
			t.Errorf("b sent %d reports in 10 s, want 3", n)
		}
		if n := r.count(func(e cluster.Event) bool {
			return e.Node == "a" && e.Down != nil && strings.HasPrefix(e.Down.Failure.Words, "the moon fell down\n")
		}); n < 2 {
			t.Errorf("a said %d times what happened", n)
		}
	})
}

// A panic over a failure is reported in its place, and the other nodes go on.
func TestAPanicOverAFailureCostsOneNode(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{fail: func(int) error { return &reach.Failure{Class: reach.ClassRefused} }}
	c.nodes["b"] = &fakeNode{}
	r := &record{}
	emit := func(e cluster.Event) {
		if e.Down != nil && e.Down.Failure.Class == reach.ClassRefused || e.Gone {
			panic("the moon fell down")
		}
		r.emit(e)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		m := New(Config{Opener: c, Interval: 3 * time.Second, Retries: 2})
		m.SetNodes([]string{"a", "b"})
		m.Run(ctx, emit)
	})
	if n := r.count(func(e cluster.Event) bool { return e.Down != nil && e.Down.Failure.Class == reach.ClassLocal }); n < 2 || c.tries("a") != n {
		t.Errorf("reported %d times in %d tries", n, c.tries("a"))
	}
	if n := r.count(func(e cluster.Event) bool { return e.Node == "b" && e.Report != nil }); n != 3 {
		t.Errorf("b sent %d reports in 10 s, want 3", n)
	}
}

// The stages of an attempt are those of the way, and the last is the poller's own.
func TestAnAttemptTellsItsStages(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		synctest.Wait()
		if n := r.count(func(e cluster.Event) bool {
			return e.Try != nil && slices.Equal(e.Try.Stages, []reach.Stage{"name", StageStream})
		}); n != 1 {
			t.Error("the attempt does not list its stages")
		}
	})
}

// A session that ends fails in the stage stream: nothing says any longer that reports come.
func TestTheEndOfAStreamIsItsStage(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{life: 10 * time.Second}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		pass(10500 * time.Millisecond)
		end := r.events[len(r.events)-2:]
		want := reach.Step{Stage: StageStream, State: reach.StepFailed, Text: "connection closed", Took: 10 * time.Second}
		if end[0].Step == nil || *end[0].Step != want || end[1].Down == nil {
			t.Errorf("the last events are %+v and %+v, want %+v and the failure", end[0], end[1], want)
		}
	})
}

func TestAsk(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{}
	c.nodes["down"] = &fakeNode{fail: func(int) error { return errors.New("no") }}
	refused := false
	c.answer = func(r wire.Request) (wire.Reply, error) {
		switch {
		case r.Pace != nil:
			return wire.Reply{}, nil
		case refused:
			return wire.Reply{}, &reach.Failure{Class: reach.ClassClosed, Short: "connection closed"}
		}
		return wire.Reply{ID: 7, Environ: &wire.Environ{Variables: []string{"A=1"}}}, nil
	}
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a", "down"})
		synctest.Wait()
		ask := func(node string) (wire.Reply, error) {
			return m.Ask(t.Context(), node, wire.Request{Environ: &wire.ProcessID{PID: 1}})
		}
		if reply, err := ask("a"); err != nil || len(reply.Environ.Variables) != 1 {
			t.Errorf("reply %+v, %v", reply, err)
		}
		refused = true
		if _, err := ask("a"); !errors.As(err, new(*reach.Failure)) {
			t.Errorf("a session that ends: %v", err)
		}
		for node, words := range map[string]string{"down": `"down" is not connected`, "x": `"x" is not watched`} {
			if _, err := ask(node); err == nil || err.Error() != words {
				t.Errorf("%s: %v, want %s", node, err, words)
			}
		}
	})
}

// A probe that refuses the pace would never report: the session ends with its words. Other refusals are answers.
func TestARefusedPaceEndsTheSession(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{}
	c.answer = func(wire.Request) (wire.Reply, error) { return wire.Reply{Error: "what is a pace?"}, nil }
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		synctest.Wait()
		if n := r.count(func(e cluster.Event) bool {
			return e.Down != nil && e.Down.Failure.Class == reach.ClassGarbage && e.Down.Failure.Words == "what is a pace?"
		}); n != 1 {
			t.Error("the session goes on, or ended for another reason")
		}
	})
}

// A panic beside the stream costs that node's session too, and nothing else.
func TestAPanicWhilePacingCostsOneNode(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"] = &fakeNode{}
	c.answer = func(wire.Request) (wire.Reply, error) { panic("the moon fell down") }
	watch(t, c, 1, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		synctest.Wait()
		if n := r.count(func(e cluster.Event) bool {
			return e.Down != nil && strings.HasPrefix(e.Down.Failure.Words, "the moon fell down\n")
		}); n != 1 {
			t.Error("it is not reported")
		}
	})
}

// An attempt that panics before it dials costs its node, not the others their turn to retry.
func TestAPanicBeforeDialingFreesItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFakeCluster()
		c.nodes["a"], c.nodes["b"] = &fakeNode{}, &fakeNode{fail: func(try int) error {
			if try == 1 {
				return &reach.Failure{Class: reach.ClassRefused, Short: "no"}
			}
			return nil
		}}
		ctx, cancel := context.WithCancel(t.Context())
		m, r := New(Config{Opener: c, Interval: 3 * time.Second, Retries: 1}), &record{}
		var wg sync.WaitGroup
		wg.Go(func() {
			m.Run(ctx, func(e cluster.Event) {
				if e.Node == "a" && e.Try != nil {
					panic("an emit that panics")
				}
				r.emit(e)
			})
		})
		m.SetNodes([]string{"a"})
		pass(7 * time.Second) // two attempts
		m.SetNodes([]string{"a", "b"})
		pass(10 * time.Second)
		if n := r.count(func(e cluster.Event) bool { return e.Node == "b" && e.Report != nil }); n == 0 {
			t.Error("the other node was never dialed again")
		}
		cancel()
		wg.Wait()
	})
}
