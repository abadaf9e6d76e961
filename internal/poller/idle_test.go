package poller

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// beats has the intervals between the reports of r after from, and the last interval that was requested.
func (r *record) beats(from time.Time) (gaps []time.Duration, told time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := from
	for _, e := range r.events {
		switch {
		case e.Try != nil:
			told = e.Try.Interval
		case e.Pace != nil:
			told = e.Pace.Interval
		case e.Report != nil && e.At.After(from):
			gaps = append(gaps, e.At.Sub(last))
			last = e.At
		}
	}
	return gaps, told
}

// While nobody is present, nodes report ten times less often, no node is called silent, and a key restores the pace.
func TestNodesSlowDownWhileNobodyIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, r := newFakeCluster(), &record{}
		c.nodes["a"], c.nodes["b"] = &fakeNode{}, &fakeNode{}
		const poll = 10 * time.Second
		m := New(Config{Opener: c, Interval: poll, Retries: 1, IdleAfter: 30 * time.Minute, IdleFactor: 10})
		c.opened = func(s *fakeSession) {
			c.answer = func(q wire.Request) (wire.Reply, error) {
				s.tick.Reset(time.Duration(q.Pace.IntervalMS) * time.Millisecond)
				return wire.Reply{}, nil
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { m.Run(ctx, r.emit) })
		m.SetNodes([]string{"a"})
		want := func(what string, during time.Duration, reports int, told time.Duration) {
			t.Helper()
			from := time.Now()
			pass(during)
			if gaps, said := r.beats(from); len(gaps) != reports || said != told {
				t.Errorf("%s: %d reports in %v, want %d, after %v; the interval is %v", what, len(gaps), during,
					reports, gaps, said)
			}
		}
		pass(20*time.Minute + time.Second)
		m.Touch()
		want("at first", 30*time.Minute-2*time.Second, 179, poll)
		pass(2 * time.Second) // idle
		want("idle", 20*time.Minute, 12, 10*poll)
		if c.tries("a") != 1 || r.count(func(e cluster.Event) bool { return e.Down != nil }) != 0 {
			t.Error("the session did not last")
		}
		m.Touch()
		synctest.Wait()
		if _, told := r.beats(time.Now()); told != 10*poll {
			t.Errorf("the shorter interval is told before a report: %v", told)
		}
		want("awake", 5*time.Minute, 30, poll)
		m.Leave()
		pass(11 * poll)
		want("detached", 10*time.Minute, 6, 10*poll)
		m.Touch()
		pass(11 * poll)
		want("attached", 5*time.Minute, 30, poll)
		pass(40 * time.Minute)
		m.SetNodes([]string{"b"})
		pass(time.Second)
		if paces := c.paces["b"]; len(paces) != 1 || paces[0].IntervalMS != 100_000 {
			t.Errorf("a node that is new while nobody is there gets %v", paces)
		}
		cancel()
		wg.Wait()
	})
}
