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
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(usual))
	live, garbage := make([]byte, smallHeap), []byte(nil)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c := newCollector()
	look := c.watchHeap(func(time.Time) *cluster.Snapshot {
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
		t.Errorf("%d threads after the collections, want %d", got, usual)
	}
}

// A collector leaves a small heap to the runtime.
func TestSmallHeap(t *testing.T) {
	c := newCollector()
	for size := uint64(smallHeap / 2); size < smallHeap; size += 1 << 16 {
		c.compareSizes(size, smallHeap/2, smallHeap-1)
	}
	if c.large || c.running.Load() {
		t.Errorf("large %v, collects %v", c.large, c.running.Load())
	}
}
