package poller

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

func TestAllowance(t *testing.T) {
	t0 := time.Unix(0, 0)
	for name, tc := range map[string]struct {
		every time.Duration // between two
		n     int
		want  int // that are allowed
	}{
		"at the pace":   {time.Second, 1000, 1000},
		"slower":        {3 * time.Second, 1000, 1000},
		"all at once":   {0, 100, 10},
		"twice as fast": {500 * time.Millisecond, 100, 10 + 49},
	} {
		a := newAllowance(time.Second, 10, t0)
		got := 0
		for i := range tc.n {
			if a.take(t0.Add(time.Duration(i) * tc.every)) {
				got++
			}
		}
		if got != tc.want {
			t.Errorf("%s: %d of %d, want %d", name, got, tc.n, tc.want)
		}
	}
	a := newAllowance(time.Second, 2, t0)
	a.addTokens(5)
	for i := range 3 {
		if got := a.take(t0); got != (i < 2) {
			t.Errorf("token %d of at most 2: %v", i+1, got)
		}
	}
	if a.addTokens(1); !a.take(t0) {
		t.Error("what is added cannot be used")
	}
}

func tooMuch(e cluster.Event) bool {
	return e.Down != nil && e.Down.Failure.Class == reach.ClassTooMuch
}

// A node that sends more than requested is cut off, and not tried again at once.
func TestFloodEndsTheSession(t *testing.T) {
	for name, message := range map[string]wire.Message{"reports": {Report: &wire.Report{}},
		"hellos": {Hello: &wire.Hello{}}, "off beat": {Report: &wire.Report{OffBeat: true}}} {
		t.Run(name, func(t *testing.T) {
			c := newFakeCluster(&fakeNode{})
			c.opened = func(s *fakeSession) {
				go func() {
					for range 5000 {
						select {
						case <-time.After(time.Millisecond):
							s.more <- message
						case <-s.closed:
							return
						}
					}
				}()
			}
			watch(t, c, 1, func(m *Manager, r *record) {
				pass(time.Second)
				if n := r.count(tooMuch); n != 1 {
					t.Fatalf("%d failures of that kind within a second, want one", n)
				}
				if n := r.count(func(e cluster.Event) bool { return e.Report != nil || e.Hello != nil }); n > 50 {
					t.Errorf("%d messages were taken", n)
				}
				if pass(3 * time.Second); c.tries("a") != 1 {
					t.Errorf("%d tries within 4 s", c.tries("a"))
				}
			})
		})
	}
}

// A link that stalls delivers everything at once afterwards.
func TestBacklogIsNoFlood(t *testing.T) {
	c := newFakeCluster(&fakeNode{})
	c.opened = func(s *fakeSession) {
		go func() {
			for range 3 {
				time.Sleep(100 * time.Second)
				for range 10 {
					s.more <- wire.Message{Report: &wire.Report{}}
				}
			}
		}()
	}
	watch(t, c, 1, func(m *Manager, r *record) {
		pass(10 * time.Minute)
		if n := r.count(tooMuch); n != 0 || c.tries("a") != 1 {
			t.Errorf("%d failures, %d tries", n, c.tries("a"))
		}
	})
}

// Each look at the processes is answered by a report beside the regular ones, however often somebody looks.
func TestLookingIsNoFlood(t *testing.T) {
	c := newFakeCluster(&fakeNode{})
	var session *fakeSession
	c.opened = func(s *fakeSession) { session = s }
	c.answer = func(r wire.Request) (wire.Reply, error) {
		if r.Pace.Processes {
			session.more <- wire.Message{Report: &wire.Report{OffBeat: true}}
		}
		return wire.Reply{}, nil
	}
	watch(t, c, 1, func(m *Manager, r *record) {
		for range 200 {
			m.Look("a", true)
			synctest.Wait()
			m.Look("a", false)
			synctest.Wait()
			pass(10 * time.Millisecond)
		}
		if n := r.count(func(e cluster.Event) bool { return e.Report != nil && e.Report.OffBeat }); n != 200 ||
			r.count(tooMuch) != 0 {
			t.Errorf("%d reports for 200 looks, %d failures", n, r.count(tooMuch))
		}
	})
}
