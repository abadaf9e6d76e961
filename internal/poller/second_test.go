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

// Each session soon asks for its second report. No event has that pace: a node would be late sooner.
func TestSecondReportComesSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, r := newFakeCluster(), &record{}
		c.nodes["a"] = &fakeNode{life: 20 * time.Second}
		m := New(Config{Opener: c, Interval: 5 * time.Second, Second: time.Second, Retries: 1})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { m.Run(ctx, r.emit) })
		m.SetNodes([]string{"a"})
		pass(30 * time.Second)
		want := wire.Pace{IntervalMS: 5000, SecondMS: 1000}
		if paces := c.paces["a"]; len(paces) != 2 || paces[0] != want || paces[1] != want {
			t.Errorf("two sessions were asked for %+v", paces)
		}
		if _, told := r.beats(time.Now()); told != 5*time.Second ||
			r.count(func(e cluster.Event) bool { return e.Pace != nil }) != 0 {
			t.Errorf("events speak of an interval of %v", told)
		}
		cancel()
		wg.Wait()
	})
}
