package poller

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// A host before the nodes, such as a jump host, is tried again before the nodes.
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

// Neither a new node nor a node with a lost session waits for silent nodes.
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
			c := newFakeCluster(&fakeNode{fail: func(int) error { return &reach.Failure{Class: tc.class, Short: "no"} }})
			watch(t, c, 1, func(m *Manager, r *record) {
				pass(tc.in)
				if got := c.tries("a"); got < tc.min || got > tc.max {
					t.Errorf("%d tries in %v, want %d to %d", got, tc.in, tc.min, tc.max)
				}
			})
		})
	}
}

// Another door follows at once, and does not count as a failure to wait for. After the last door, the wait is that of
// the most delicate.
func TestAnotherDoorFollowsAtOnce(t *testing.T) {
	c := newFakeCluster(&fakeNode{fail: func(try int) error {
		if try%3 != 0 {
			return &reach.Failure{Class: reach.ClassAuth, Short: "no", Next: true}
		}
		return &reach.Failure{Class: reach.ClassClosed, Short: "no",
			Doors: []reach.Tried{{Door: "ssh", Class: reach.ClassAuth}, {Door: "srun", Class: reach.ClassClosed}}}
	}})
	watch(t, c, 1, func(m *Manager, r *record) {
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
	c := newFakeCluster(&fakeNode{life: 70 * time.Second})
	watch(t, c, 1, func(m *Manager, r *record) {
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

// SLURM kills the processes of an ending job after 1, 3 and 7 s, and later ones: a session that came back between them
// would keep the job from ending.
func TestTheEndOfAJobIsNotDelayed(t *testing.T) {
	c := newFakeCluster(&fakeNode{life: time.Minute, job: "7"})
	watch(t, c, 1, func(m *Manager, r *record) {
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

// A node with sessions that end at once, with reports or without, is not logged into again and again.
func TestShortSessionsAreBackedOffFrom(t *testing.T) {
	c := newFakeCluster(&fakeNode{life: 4 * time.Second})
	watch(t, c, 1, func(m *Manager, r *record) {
		pass(10 * time.Minute)
		if got := c.tries("a"); got < 15 || got > 30 {
			t.Errorf("%d logins in 10 min, want about one in 34 s after the first", got)
		}
	})
}

func TestRetryHasAFloor(t *testing.T) {
	c := newFakeCluster(&fakeNode{fail: func(int) error { return &reach.Failure{Class: reach.ClassAuth, Short: "no"} }})
	watch(t, c, 1, func(m *Manager, r *record) {
		for range 900 { // the user holds the key down for half a minute
			m.Retry()
			pass(time.Second / 30)
		}
		if got := c.tries("a"); got < 5 || got > 7 {
			t.Errorf("%d logins in 30 s, want one in 5 s", got)
		}
	})
}

// A request from healthy times does not hurry a retry after a later loss: it waits as announced.
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
	c := newFakeCluster(&fakeNode{fail: func(try int) error {
		if try < 5 {
			return &reach.Failure{Class: reach.ClassHostKeyChanged, Short: "changed"}
		}
		return nil
	}})
	watch(t, c, 1, func(m *Manager, r *record) {
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
