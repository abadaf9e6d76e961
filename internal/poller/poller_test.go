package poller

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

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
		// Each watch that emitted events has ended before the next one emits; the last watch has not.
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

// When the program ends, its sessions close: that says nothing about the nodes, and is not told.
func TestTheEndIsNoNews(t *testing.T) {
	c := newFakeCluster()
	c.nodes["a"], c.nodes["late"], c.nodes["slow"] = &fakeNode{}, &fakeNode{late: true}, &fakeNode{slow: time.Hour}
	var told *record
	said := 0
	watch(t, c, 8, func(m *Manager, r *record) {
		m.SetNodes([]string{"a", "late", "slow"})
		pass(10 * time.Second)
		told, said = r, len(r.events)
	})
	if len(told.events) != said {
		t.Errorf("the end was told: %+v", told.events[said:])
	}
}

// If there are too many nodes, the first are watched, and stay so; each other node is reported once as not watched.
func TestAtMostSoManyNodes(t *testing.T) {
	c := newFakeCluster()
	for _, name := range []string{"a", "b", "c", "d"} {
		c.nodes[name] = &fakeNode{}
	}
	limit := Config{Opener: c, Interval: 3 * time.Second, Retries: 8, Most: 2,
		Beyond: reach.Failure{Class: reach.ClassNotWatched}}
	watchWith(t, c, limit, func(m *Manager, r *record) {
		beyond := func(node string) int {
			return r.count(func(e cluster.Event) bool {
				return e.Node == node && e.Down != nil && e.Down.Failure.Class == reach.ClassNotWatched
			})
		}
		want := func(when string, sessions ...string) {
			t.Helper()
			pass(10 * time.Second)
			for _, name := range []string{"a", "b", "c", "d"} {
				if open := c.sessions[name] == 1; open != slices.Contains(sessions, name) {
					t.Errorf("%s: %s has %d sessions, want those of %v", when, name, c.sessions[name], sessions)
				}
			}
		}
		m.SetNodes([]string{"b", "c", "d", "d"})
		want("three nodes", "b", "c")
		m.SetNodes([]string{"a", "b", "c", "d"})
		want("one more", "b", "c")
		if beyond("a") != 1 || beyond("d") != 1 || beyond("b")+beyond("c") > 0 {
			t.Errorf("said not to be watched: %d, %d, %d, %d times", beyond("a"), beyond("b"), beyond("c"), beyond("d"))
		}
		m.SetNodes([]string{"a", "c"})
		want("as many as may be", "a", "c")
		if n := r.count(func(e cluster.Event) bool { return e.Node == "d" && e.Gone }); n != 1 || beyond("a") != 1 {
			t.Errorf("d is said to be gone %d times", n)
		}
	})
}

// A node is dropped, others take its place, and it is wanted again before its watch has ended: the last event says that
// it is not watched.
func TestBeyondAfterItsLastWatch(t *testing.T) {
	c := newFakeCluster()
	for _, name := range []string{"a", "b"} {
		c.nodes[name] = &fakeNode{late: true}
	}
	limit := Config{Opener: c, Interval: 3 * time.Second, Retries: 8, Most: 1,
		Beyond: reach.Failure{Class: reach.ClassNotWatched}}
	watchWith(t, c, limit, func(m *Manager, r *record) {
		m.SetNodes([]string{"a"})
		pass(10 * time.Second)
		m.SetNodes([]string{"b"})
		m.SetNodes([]string{"b", "a"})
		pass(10 * time.Second)
		var last cluster.Event
		for _, e := range r.events {
			if e.Node == "a" {
				last = e
			}
		}
		if last.Down == nil || last.Down.Failure.Class != reach.ClassNotWatched {
			t.Errorf("the last event of a is %+v, want that it is not watched", last)
		}
		if c.sessions["a"] != 0 || c.sessions["b"] != 1 {
			t.Errorf("sessions %v, want one of b", c.sessions)
		}
	})
}
