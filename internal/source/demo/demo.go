// Package demo simulates a cluster. A Demo is a cluster.Source that emits the same Events as a real cluster, so the
// rest of the program runs unchanged.
//
// A Demo runs once. Its other methods may be called from any goroutine, also before Run. Only Ask, Cancel and
// Accounts block, until Run answers or their context ends.
package demo

import (
	"container/heap"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/bell"
)

// Demo is a simulated cluster: a training job on many nodes, tasks of an array on nodes shared with others, and nearly
// every fault. Its Events depend only on the seed and on the time since the story began, with two exceptions: processes
// are listed only where the user looks, and they end when the user signals them.
type Demo struct {
	world   *world
	changed bell.Bell
	orders  chan demoRequest
	caught  chan struct{} // closed when the past has been emitted
	reached atomic.Int64  // the time of the story up to which all Events have been emitted

	mu      sync.Mutex // protects the following
	look    string     // the node whose processes the user wants to see, EveryNode, or none
	refresh bool       // ask for the jobs, and try to reach nodes
}

// Seed is the seed of every demo that users see: each has the same story.
const Seed = 48211

// Twice is the number of intervals of the past in which nodes report twice.
const Twice = 3

// New makes a cluster whose training job runs on nodes with gpus each. Nodes report every poll, and have already
// reported for the time past, or for less if there are very many nodes. Most of the story has already happened.
func New(nodes, gpus int, seed int64, poll, past time.Duration) *Demo {
	d := &Demo{world: newWorld(nodes, gpus, seed, poll, past), changed: bell.New(), orders: make(chan demoRequest),
		caught: make(chan struct{})}
	d.reached.Store(int64(d.world.from))
	return d
}

// Present returns the time of the cluster at a time of this host. They are the same unless Run is more than an interval
// behind, as with very many nodes on a busy host: otherwise all nodes would seem silent. It never goes back.
func (d *Demo) Present(now time.Time) time.Time {
	if last := d.world.begin.Add(time.Duration(d.reached.Load()) + d.world.poll); last.Before(now) {
		return last
	}
	return now
}

// CaughtUp is closed when Run has emitted the past: earlier Events are old, and a large cluster has many of them.
func (d *Demo) CaughtUp() <-chan struct{} { return d.caught }

// gathers is how long due Events wait for others: each wake-up of the program costs as much as a report.
const gathers = 20 * time.Millisecond

// Run emits the Events of the past at once and then continues in real time. It runs once.
func (d *Demo) Run(ctx context.Context, emit func(cluster.Event)) error {
	actors := d.makeActors()
	timer := time.NewTimer(0)
	defer timer.Stop()
	told := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-d.changed:
			d.instruct(actors, emit)
			heap.Init(&actors)
		case o := <-d.orders:
			d.runOrder(actors, o, emit)
			heap.Init(&actors)
		case <-timer.C:
			d.act(ctx, &actors, emit)
		}
		d.reached.Store(int64(actors[0].due()))
		next := d.world.begin.Add(actors[0].due())
		if !told && time.Since(next) < d.world.poll {
			told = true
			close(d.caught)
		}
		wait := time.Until(next)
		if told { // Events of the past do not wait for others
			wait = max(wait, gathers)
		}
		timer.Reset(wait)
	}
}

// makeActors returns the discoverer and the nodes, which already know the user's wishes.
func (d *Demo) makeActors() queue {
	actors := queue{&simDiscoverer{world: d.world, next: d.world.from}}
	look, _ := d.userWishes()
	for _, host := range d.world.hosts {
		n := newSimNode(d.world, host)
		n.instruct(d.world.from, look, false)
		actors = append(actors, n)
	}
	heap.Init(&actors)
	return actors
}

// act runs the actors that are due.
func (d *Demo) act(ctx context.Context, actors *queue, emit func(cluster.Event)) {
	now := time.Since(d.world.begin)
	for first := (*actors)[0]; first.due() <= now && ctx.Err() == nil; first = (*actors)[0] {
		due := first.due()
		d.emitEvents(due, first.act(due), emit)
		heap.Fix(actors, 0)
		d.reached.Store(int64((*actors)[0].due()))
	}
}

// instruct passes on the wishes of the user.
func (d *Demo) instruct(actors queue, emit func(cluster.Event)) {
	now := time.Since(d.world.begin)
	look, refresh := d.userWishes()
	for _, a := range actors {
		d.emitEvents(now, a.instruct(now, look, refresh), emit)
	}
}

// emitEvents emits Events of one moment.
func (d *Demo) emitEvents(now time.Duration, events []cluster.Event, emit func(cluster.Event)) {
	for _, event := range events {
		event.At = d.world.begin.Add(now)
		emit(event)
	}
}

// userWishes returns the user's present wishes. A refresh is wanted once.
func (d *Demo) userWishes() (look string, refresh bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	look, refresh = d.look, d.refresh
	d.refresh = false
	return look, refresh
}

// actor is a node or the discoverer. Times count from the beginning of the story.
type actor interface {
	due() time.Duration
	act(now time.Duration) []cluster.Event // advances the due time
	instruct(now time.Duration, look string, refresh bool) []cluster.Event
	notice(now time.Duration) []cluster.Event // jobs were canceled
}

// queue is a heap of actors, the earliest first.
type queue []actor

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].due() < q[j].due() }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(a any)        { *q = append(*q, a.(actor)) }

// Pop removes the last actor.
func (q *queue) Pop() any {
	last := len(*q) - 1
	a := (*q)[last]
	*q = (*q)[:last]
	return a
}

// Touch does nothing: the simulated controller is asked at a fixed pace.
func (d *Demo) Touch() {}

// Leave does nothing either.
func (d *Demo) Leave() {}

// ListJobs does nothing either.
func (d *Demo) ListJobs(bool) {}

// Refresh asks for the jobs now, and tries to reach the nodes that wait for their next attempt.
func (d *Demo) Refresh() {
	d.mu.Lock()
	d.refresh = true
	d.mu.Unlock()
	d.changed.Ring()
}

// Look names the node whose processes are wanted, if any. The processes of other nodes are not listed.
func (d *Demo) Look(node string, processes bool) {
	d.mu.Lock()
	d.look = ""
	if processes {
		d.look = node
	}
	d.mu.Unlock()
	d.changed.Ring()
}
