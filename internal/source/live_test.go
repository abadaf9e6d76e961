package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// network has a probe on every node, which reports every interval until its end.
type network struct {
	told []cluster.Job // by Live.Jobs

	mu       sync.Mutex // protects the following
	sessions map[string]*session
	opened   []string
	down     map[string]bool // nodes that cannot be reached
}

type session struct {
	network  *network
	node     string
	messages chan wire.Message
	once     sync.Once
	closed   chan struct{}
	beat     *time.Ticker

	mu     sync.Mutex // protects the following
	listed bool       // the last request
}

var errDown = &reach.Failure{Class: reach.ClassRefused, Short: "connection refused"}

func (n *network) Route(context.Context, string) reach.Route { return reach.Route{} }

func (n *network) Open(_ context.Context, node string, _ func(reach.Step)) (poller.Session, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.opened = append(n.opened, node)
	if n.down[node] {
		return nil, errDown
	}
	s := &session{network: n, node: node, messages: make(chan wire.Message, 2), closed: make(chan struct{}),
		beat: time.NewTicker(interval)}
	s.messages <- wire.Message{Hello: &wire.Hello{Host: node}}
	s.messages <- wire.Message{Report: &wire.Report{Seq: 1}}
	n.sessions[node] = s
	return s, nil
}

func (s *session) Next() (wire.Message, error) {
	select {
	case m := <-s.messages:
		return m, nil
	case <-s.beat.C:
		return wire.Message{Report: &wire.Report{}}, nil
	case <-s.closed:
		return wire.Message{}, &reach.Failure{Class: reach.ClassClosed, Short: "closed"}
	}
}

func (s *session) Call(_ context.Context, r wire.Request) (wire.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Pace != nil {
		s.listed = r.Pace.Processes
	}
	if r.Environ != nil {
		return wire.Reply{Error: fmt.Sprintf("%s has no process %d", s.node, r.Environ.PID)}, nil
	}
	return wire.Reply{}, nil
}

func (s *session) Close() error {
	s.end()
	return nil
}

func (s *session) end() {
	s.once.Do(func() {
		close(s.closed)
		s.beat.Stop()
		s.network.mu.Lock()
		defer s.network.mu.Unlock()
		if s.network.sessions[s.node] == s {
			delete(s.network.sessions, s.node)
		}
	})
}

// kill ends the session of a node from the far side.
func (n *network) kill(node string) {
	n.mu.Lock()
	s := n.sessions[node]
	n.mu.Unlock()
	s.end()
}

// watched are the nodes with a session; listing are the watched nodes that must list processes.
func (n *network) watched() (watched, listing []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for node, s := range n.sessions {
		watched = append(watched, node)
		s.mu.Lock()
		if s.listed {
			listing = append(listing, node)
		}
		s.mu.Unlock()
	}
	slices.Sort(watched)
	slices.Sort(listing)
	return watched, listing
}

func newNetwork() *network { return &network{sessions: map[string]*session{}, down: map[string]bool{}} }

func (n *network) manager() *poller.Manager {
	return poller.New(poller.Config{Opener: n, Interval: interval, Retries: 4})
}

const interval = 3 * time.Second

// live runs a Live over c and n while test runs, and returns its events.
func live(t *testing.T, c *controller, n *network, test func(l *Live)) []cluster.Event {
	t.Helper()
	var mu sync.Mutex
	var events []cluster.Event
	synctest.Test(t, func(t *testing.T) {
		c.begin = time.Now()
		if c.heard != nil {
			c.heard.At = c.begin.Add(-c.heardAge)
		}
		ctx, cancel := context.WithCancel(t.Context())
		l := &Live{discoverer: newDiscoverer(c, "alice", "login1"), Manager: n.manager(), Floor: c.floor,
			Heard: c.heard, Job: c.only, reported: map[string]bool{}}
		l.Jobs = func(jobs []cluster.Job) {
			if watched, _ := n.watched(); len(n.told) == 0 && len(watched) > 0 {
				t.Error("nodes are watched before the jobs were told")
			}
			n.told = jobs
		}
		done := make(chan error)
		go func() {
			done <- l.Run(ctx, func(e cluster.Event) {
				mu.Lock()
				defer mu.Unlock()
				events = append(events, e)
			})
		}()
		synctest.Wait()
		test(l)
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
		if watched, _ := n.watched(); len(watched) > 0 {
			t.Errorf("sessions with %q outlive Run", watched)
		}
	})
	return events
}

func TestLiveWatchesTheNodesOfRunningJobs(t *testing.T) {
	c := &controller{jobs: []cluster.Job{{ID: "1", Nodes: []string{"n1", "n2"}}, {ID: "2_1", Nodes: []string{"n2"}},
		{ID: "2_2", Nodes: []string{"n2"}}}}
	n := newNetwork()
	want := func(nodes ...string) {
		t.Helper()
		if got, _ := n.watched(); !slices.Equal(got, nodes) {
			t.Errorf("watched %q, want %q", got, nodes)
		}
	}
	events := live(t, c, n, func(*Live) {
		want("n1", "n2")
		c.change(func() { c.jobs = []cluster.Job{c.jobs[2], {ID: "3", Nodes: []string{"n3"}}} })
		c.at(31 * sec)
		want("n2", "n3")
		if len(n.told) != 2 || n.told[1].ID != "3" {
			t.Errorf("told %+v", n.told)
		}
		c.change(func() { c.err = errors.New("the controller is away") })
		c.at(61 * sec)
		want("n2", "n3") // no answer ends no session
	})
	if diff := cmp.Diff([]string{"n1", "n2", "n3"}, slices.Sorted(slices.Values(n.opened))); diff != "" {
		t.Errorf("sessions opened (-want +got):\n%s", diff)
	}
	if first := events[0]; first.Discovery == nil || first.Discovery.User != "alice" ||
		first.Discovery.Command != slurm.Question || !first.At.Equal(c.begin) {
		t.Errorf("first event %+v", first)
	}
	if !slices.ContainsFunc(events, func(e cluster.Event) bool { return e.Gone && e.Node == "n1" }) {
		t.Error("n1 is not said to be gone")
	}
}

// Only the nodes of one job are watched, even if another job shares them; after its end no node is watched.
func TestLiveWatchesOneJob(t *testing.T) {
	for _, only := range []string{"2_1", "7", "2"} {
		c := &controller{only: only, jobs: []cluster.Job{{ID: "1", Number: "1", Nodes: []string{"n1", "n2"}},
			{ID: "2_1", Number: "7", Nodes: []string{"n2"}}}}
		n := newNetwork()
		events := live(t, c, n, func(*Live) {
			if got, _ := n.watched(); !slices.Equal(got, []string{"n2"}) || len(n.told) != 1 || n.told[0].ID != "2_1" {
				t.Errorf("watched %q, told %+v", got, n.told)
			}
			c.change(func() { c.jobs = c.jobs[:1] })
			c.at(31 * sec)
			if got, _ := n.watched(); len(got) > 0 {
				t.Errorf("watched %q after the end", got)
			}
		})
		for _, e := range events {
			if d := e.Discovery; d != nil && !d.Answered.IsZero() && (!d.Runs("1") || len(d.Jobs) > 1) {
				t.Errorf("%s: %+v: the other job is not known to run", only, d)
			}
		}
	}
}

func TestLiveAsksWhenASessionIsLost(t *testing.T) {
	c := &controller{jobs: []cluster.Job{{ID: "1", Nodes: []string{"n1", "n2"}}}}
	n := newNetwork()
	n.down["n2"] = true // it never reports, so its failures say nothing about the job
	live(t, c, n, func(*Live) {
		c.at(10 * sec)
		c.want(t, 0)
		n.kill("n1")
		c.change(func() { c.jobs = nil })
		c.at(11 * sec)
		if watched, _ := n.watched(); len(watched) > 0 {
			t.Errorf("the job ended, but %q are watched", watched)
		}
		c.at(29 * sec)
	})
	c.want(t, 0, 10*sec)
}

func TestLiveKeepsTheFloor(t *testing.T) {
	c := &controller{floor: 20 * sec}
	live(t, c, newNetwork(), func(l *Live) {
		l.Refresh()
		c.at(39 * sec)
	})
	c.want(t, 0, 20*sec)
}

// squeue is not asked again after a recent answer, but after an old one.
func TestLiveBeginsWithWhatIsKnown(t *testing.T) {
	for name, test := range map[string]struct {
		age  time.Duration
		want []time.Duration
	}{"young": {5 * sec, []time.Duration{15 * sec}}, "old": {20 * sec, []time.Duration{0, 20 * sec}}} {
		c := &controller{floor: 20 * sec, heardAge: test.age,
			heard: &EarlyAnswer{Answer: &slurm.Answer{Jobs: []cluster.Job{{ID: "7", Nodes: []string{"n7"}}}}, Took: sec}}
		n := newNetwork()
		live(t, c, n, func(l *Live) {
			if watched, _ := n.watched(); slices.Equal(watched, []string{"n7"}) != (name == "young") {
				t.Errorf("%s: %q are watched", name, watched)
			}
			l.Refresh()
			c.at(25 * sec)
		})
		c.want(t, test.want...)
	}
}

// Nodes are dialed when squeue has answered, however slow the controller is.
func TestLiveDialsBeforeGPUsAreKnown(t *testing.T) {
	c := busyController()
	n := newNetwork()
	live(t, c, n, func(*Live) {
		c.at(8*sec + 100*time.Millisecond)
		if watched, _ := n.watched(); len(watched) != 60 {
			t.Errorf("%d of 60 nodes are watched when squeue has answered", len(watched))
		}
	})
}

func TestLiveControls(t *testing.T) {
	c := &controller{jobs: []cluster.Job{{ID: "1", Nodes: []string{"n1", "n2", "n3"}}}}
	n := newNetwork()
	n.down["n3"] = true
	live(t, c, n, func(l *Live) {
		listing := func(want ...string) {
			t.Helper()
			synctest.Wait()
			if _, got := n.watched(); !slices.Equal(got, want) {
				t.Errorf("processes of %q are listed, want %q", got, want)
			}
		}
		l.Look("n1", true)
		listing("n1")
		l.Look("n2", true)
		listing("n2")
		l.Look("n2", false)
		listing()
		l.Look(cluster.EveryNode, true)
		listing("n1", "n2")

		c.at(20 * sec)
		n.mu.Lock()
		n.down["n3"], n.opened = false, nil
		n.mu.Unlock()
		l.Touch()
		l.Refresh()
		synctest.Wait()
		if watched, _ := n.watched(); !slices.Equal(watched, []string{"n1", "n2", "n3"}) {
			t.Errorf("watched %q right after Refresh", watched)
		}
	})
	c.want(t, 0, 20*sec)
}

func TestLiveWithoutSlurm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var events []cluster.Event
		l := NewLive(slurm.New(noSqueue), newNetwork().manager(), "alice", "laptop")
		if err := l.Run(t.Context(), func(e cluster.Event) { events = append(events, e) }); !errors.Is(err,
			command.ErrNoSlurm) {
			t.Errorf("Run returned %v", err)
		}
		if len(events) != 1 || events[0].Discovery == nil || !events[0].Discovery.Asked.IsZero() {
			t.Errorf("events %+v, want only that SLURM is asked", events)
		}
	})
}

func TestHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork()
		h := NewHosts("a[1-2],a1", []string{"a1", "a2", "a1"}, n.manager(), "alice", "laptop")
		ctx, cancel := context.WithCancel(t.Context())
		events := make(chan cluster.Event, 1000)
		done := make(chan error)
		go func() { done <- h.Run(ctx, func(e cluster.Event) { events <- e }) }()
		synctest.Wait()
		h.Look("a2", true)
		h.Touch()
		h.Refresh()
		synctest.Wait()
		watched, listing := n.watched()
		if !slices.Equal(watched, []string{"a1", "a2"}) || !slices.Equal(listing, []string{"a2"}) {
			t.Errorf("watched %q, listing %q", watched, listing)
		}
		first := <-events
		want := &cluster.Discovery{
			User: "alice", Host: "laptop", Answered: time.Now(),
			Jobs: []cluster.Job{{Name: "a[1-2],a1", User: "alice", Nodes: []string{"a1", "a2"}}},
		}
		if diff := cmp.Diff(want, first.Discovery); diff != "" {
			t.Errorf("discovery (-want +got):\n%s", diff)
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

// A question goes to the session of the node that it is about.
func TestAsk(t *testing.T) {
	net := &network{sessions: map[string]*session{}}
	h := NewHosts("a,b", []string{"a", "b"}, poller.New(poller.Config{Opener: net, Interval: interval, Retries: 2}),
		"alice", "login1")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- h.Run(ctx, func(cluster.Event) {}) }()
		synctest.Wait()
		request := wire.Request{Environ: &wire.ProcessID{PID: 7}}
		if reply, err := h.Ask(ctx, "b", request); err != nil || reply.Error != "b has no process 7" {
			t.Errorf("got %+v, %v", reply, err)
		}
		if _, err := h.Ask(ctx, "c", request); err == nil {
			t.Error("a node that is not watched answered")
		}
		cancel()
		<-done
	})
}
