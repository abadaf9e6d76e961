package screen

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// A collector is earlier than the runtime, and leaves the number of threads as it was.
func TestCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	live, garbage := make([]byte, smallHeap), []byte(nil)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, usual := newCollector(), runtime.GOMAXPROCS(0)
	look := c.after(func(time.Time) *cluster.Snapshot {
		garbage = make([]byte, smallHeap/16)
		return nil
	})
	for range 100 {
		look(time.Now())
		for c.running.Load() {
			time.Sleep(time.Millisecond)
		}
	}
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(live)
	runtime.KeepAlive(garbage)
	ours, all := after.NumForcedGC-before.NumForcedGC, after.NumGC-before.NumGC
	if ours < 4 || ours != all {
		t.Errorf("%d of %d collections were the collector's", ours, all)
	}
	if got := runtime.GOMAXPROCS(0); got != usual {
		t.Errorf("%d threads have become %d", usual, got)
	}
}

// A collector leaves a small heap to the runtime.
func TestSmallHeap(t *testing.T) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, garbage := newCollector(), []byte(nil)
	for range 1000 {
		garbage = make([]byte, 1<<16)
		c.look()
	}
	runtime.KeepAlive(garbage)
	for c.running.Load() {
		time.Sleep(time.Millisecond)
	}
	if runtime.ReadMemStats(&after); after.NumForcedGC != before.NumForcedGC {
		t.Errorf("%d collections", after.NumForcedGC-before.NumForcedGC)
	}
}
