package poller

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The second report of each session comes soon, also after one off the beat, and the others at the usual pace. No event speaks of another pace, by
// which a node would be late sooner.
func TestSecondReportComesSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, r := newFakeCluster(), &record{}
		c.nodes["a"] = &fakeNode{life: 20 * time.Second}
		m := New(Config{Opener: c, Interval: 5 * time.Second, Second: time.Second, Retries: 1})
		c.opened = func(s *fakeSession) {
			first := true
			c.answer = func(q wire.Request) (wire.Reply, error) {
				s.tick.Reset(time.Duration(q.Pace.IntervalMS) * time.Millisecond)
				if first { // as a probe does: one with the pace, and another because of a Hello
					s.more <- wire.Message{Report: &wire.Report{}}
					s.more <- wire.Message{Report: &wire.Report{OffBeat: true}}
				}
				first = false
				return wire.Reply{}, nil
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { m.Run(ctx, r.emit) })
		m.SetNodes([]string{"a"})
		began := time.Now()
		want := []time.Duration{0, time.Second, 5 * time.Second, 5 * time.Second}
		for session := range 2 {
			pass(12 * time.Second)
			if gaps, told := r.beats(began.Add(-time.Nanosecond)); told != 5*time.Second || len(gaps) == 0 || !slices.Equal(gaps[1:], want) {
				t.Errorf("session %d: reports after %v, told %v", session, gaps, told)
			}
			pass(8 * time.Second)
			for c.tries("a") == session+1 {
				pass(10 * time.Millisecond)
			}
			began = time.Now().Add(-20 * time.Millisecond) // it may have begun so long ago
		}
		if n := r.count(func(e cluster.Event) bool { return e.Pace != nil }); n != 0 {
			t.Errorf("%d events speak of another pace", n)
		}
		cancel()
		wg.Wait()
	})
}
