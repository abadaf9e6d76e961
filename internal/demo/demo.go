// Package demo is a simulated cluster that is a cluster.Source: it emits what a real one would, in the same types, so that all behind
// it cannot tell the difference.
//
// A Demo runs once. Its other methods may be called from any goroutine, also before Run; they do not block.
package demo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Demo is a simulated cluster: a training job on many nodes, tasks of an array on a node shared with others, and within the first two
// minutes about everything that can go wrong. What happens at a moment after the start depends on the seed and on that moment alone,
// save that processes are listed only where a person looks.
type Demo struct {
	world   *world
	changed bell.Bell

	mu      sync.Mutex // protects the following
	look    string     // the node whose processes are wanted, EveryNode, or none
	refresh bool       // ask for the jobs, try to reach nodes
}

// past is how much of the story has happened when it begins for a person: the histories are not empty then.
const past = 64 // polls

// New makes a cluster whose training job has nodes with gpus each, and which reports every poll. Its story begins now.
func New(nodes, gpus int, seed int64, poll time.Duration) *Demo {
	return &Demo{world: newWorld(nodes, gpus, seed, poll), changed: bell.New()}
}

// Run lives through the past at once and then goes on in real time. It runs once.
func (d *Demo) Run(ctx context.Context, emit func(cluster.Event)) error {
	begin := d.world.begin
	tell := func(now time.Duration, events []cluster.Event) {
		for _, event := range events {
			event.At = begin.Add(now)
			emit(event)
		}
	}
	actors := []actor{&simDiscoverer{world: d.world, next: -d.world.poll * past}}
	for _, host := range d.world.hosts {
		actors = append(actors, newSimNode(d.world, host))
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		next := earliest(actors)
		timer.Reset(time.Until(begin.Add(next.due())))
		select {
		case <-ctx.Done():
			return nil
		case <-d.changed:
			now := time.Since(begin)
			look, refresh := d.wanted()
			for _, a := range actors {
				tell(now, a.instruct(now, look, refresh))
			}
		case <-timer.C:
			now := next.due()
			tell(now, next.act(now))
		}
	}
}

// wanted is what a person wants now. A refresh is wanted once.
func (d *Demo) wanted() (look string, refresh bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	look, refresh = d.look, d.refresh
	d.refresh = false
	return look, refresh
}

// actor is what does something at times of its own: a node, or the discoverer. Times count from the beginning of the story.
type actor interface {
	due() time.Duration
	act(now time.Duration) []cluster.Event // moves due on
	instruct(now time.Duration, look string, refresh bool) []cluster.Event
}

func earliest(actors []actor) actor {
	return slices.MinFunc(actors, func(a, b actor) int { return cmp.Compare(a.due(), b.due()) })
}

// Touch says that a person is there. The simulated controller does not mind being asked.
func (d *Demo) Touch() {}

// Refresh asks for the jobs, and tries to reach nodes that wait for their next attempt, now.
func (d *Demo) Refresh() {
	d.mu.Lock()
	d.refresh = true
	d.mu.Unlock()
	d.changed.Ring()
}

// Look says whether processes are wanted, and of which node. Those of other nodes are not listed.
func (d *Demo) Look(node string, processes bool) {
	d.mu.Lock()
	d.look = ""
	if processes {
		d.look = node
	}
	d.mu.Unlock()
	d.changed.Ring()
}

// Ask has no answer: there is no probe behind a simulated node.
func (d *Demo) Ask(_ context.Context, node string, _ wire.Request) (wire.Reply, error) {
	return wire.Reply{}, fmt.Errorf("%q is simulated: nothing can be asked of it", node)
}
