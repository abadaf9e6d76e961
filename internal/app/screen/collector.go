package screen

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
)

const (
	// smallHeap is collected before anybody notices.
	smallHeap = 32 << 20

	// A collection begins when beginsAt percent of the room for garbage are used, or later, since others allocate in
	// the meantime. The room is so large that this point is at 40 % of the live heap and the stacks.
	beginsAt = 70
	room     = 40 * 100 / beginsAt
)

// collector collects garbage while the screens run, just before the runtime would.
//
// The program runs on one thread (package app). A collection that the runtime begins takes that thread for up to 10 ms
// at a time, and whoever allocates has to help: with a thousand nodes, some keys waited for 50 ms. A collector gives
// the collection threads of its own, and begins before anybody has to help. The work is the same.
type collector struct {
	heap    [3]metrics.Sample // its size; its size after the last collection, and at the end of the next one
	before  uint64            // its size at the last look
	large   bool
	running atomic.Bool
	threads threads // of a large heap
}

func newCollector() *collector {
	return &collector{heap: [3]metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/heap/live:bytes"}, {Name: "/gc/heap/goal:bytes"}}}
}

// watchHeap returns a function that returns Snapshots, and checks the heap each time.
func (c *collector) watchHeap(snapshot func(time.Time) *cluster.Snapshot) func(time.Time) *cluster.Snapshot {
	return func(now time.Time) *cluster.Snapshot {
		defer c.checkHeap(now)
		return snapshot(now)
	}
}

// checkHeap begins a collection if the runtime might otherwise do so before the next check. The collection begins when
// the screen has drawn its frame, or on another thread.
func (c *collector) checkHeap(now time.Time) {
	metrics.Read(c.heap[:])
	c.compareSizes(c.heap[0].Value.Uint64(), c.heap[1].Value.Uint64(), c.heap[2].Value.Uint64())
	if c.large {
		c.threads.restThread(now)
	}
}

// compareSizes decides by the sizes of the heap: now, after the last collection, and at the end of the next one.
func (c *collector) compareSizes(size, live, goal uint64) {
	growth := size - min(c.before, size)
	c.before = size
	switch {
	case !c.large && goal < smallHeap, c.running.Load():
	case !c.large:
		c.large = true
		debug.SetGCPercent(room)
	case size+growth > live+(goal-live)*beginsAt/100:
		c.running.Store(true)
		crash.Go(c.collectGarbage)
	}
}

// noteKey notes a key.
func (c *collector) noteKey(now time.Time) {
	if c.large {
		c.threads.noteKey(now)
	}
}

func (c *collector) collectGarbage() {
	defer c.running.Store(false)
	c.threads.noteCollection(true)
	defer c.threads.noteCollection(false)
	runtime.GC()
}
