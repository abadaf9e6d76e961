package xid

import (
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Watch gets events from the driver. Its methods are called by one goroutine. Shutdown waits until Close has returned.
type Watch interface {
	// Next waits some seconds for an event: each wait wakes the node up once. It returns false if there was none, and
	// an error if there will be no more.
	Next() (e Event, ok bool, err error)
	Close()
}

// Event is an Xid of a GPU.
type Event struct {
	GPU  int // Card.Index
	Code uint64
}

// Lookout runs Watches, each on its own goroutine, since it waits in the driver all the time. When other GPUs are to be
// watched, the next Watch begins before the last one ends, so that no event is missed. One that comes in the
// milliseconds in which the driver registers the next Watch may be counted twice. Its methods are for one goroutine.
type Lookout struct {
	Box   Box
	Begun chan Beginning // each is passed to Started
	Ended chan Ending    // each is passed to Over

	now func() time.Duration // CLOCK_MONOTONIC

	refused map[int]string // by Card.Index: why there are no Xids
	current *vigil         // nil: none
	next    *vigil         // asks the driver for events; nil: none does
	running int            // goroutines
}

// maxVigils is how many goroutines watch at most: one, and the one that it replaces.
const maxVigils = 2

// vigil is a Watch with its goroutine.
type vigil struct {
	on       []wire.Card   // its GPUs
	stop     chan struct{} // closed: it should end, which it does within seconds
	asked    bool          // stop is closed
	replaced atomic.Bool   // the next one has the events
}

// Beginning says that a vigil gets events.
type Beginning struct {
	None    bool // it gets none, and has ended
	of      *vigil
	refused map[int]string
}

// Ending says that a vigil has ended.
type Ending struct {
	of      *vigil
	refused map[int]string // the Watch could not go on; nil: it was asked to end
}

// New returns a Lookout that watches nothing yet. Its events have the time that now returns.
func New(now func() time.Duration) *Lookout {
	return &Lookout{
		now: now, Box: Box{Rung: make(chan struct{}, 1)},
		Begun: make(chan Beginning, 1), Ended: make(chan Ending, maxVigils), // nobody waits for them at the end
	}
}

// Running reports whether a call into the driver may be under way.
func (l *Lookout) Running() bool { return l.running > 0 }

// Watch begins to watch GPUs, with a Watch that begin asks the driver for, unless it does so already. If others are
// watched they are so until it has begun. What cannot begin yet is to be tried again when a vigil has begun or ended.
// begin also says by Card.Index why GPUs give no events; its Watch is nil if none does.
func (l *Lookout) Watch(cards []wire.Card, begin func() (Watch, map[int]error)) {
	if len(cards) == 0 || l.next != nil || l.running == maxVigils {
		return
	}
	if c := l.current; c != nil && (c.asked || slices.EqualFunc(c.on, cards, sameGPU)) {
		return
	}
	l.next = &vigil{on: cards, stop: make(chan struct{})}
	l.running++
	go l.run(begin, l.next, l.current)
}

// sameGPU reports whether the driver's handle of a GPU is still the one that it was.
func sameGPU(a, b wire.Card) bool { return a.Index == b.Index && a.UUID == b.UUID && a.Lost == b.Lost }

// End asks all vigils to end. They do so within seconds.
func (l *Lookout) End() {
	for _, v := range []*vigil{l.current, l.next} {
		v.end()
	}
}

func (v *vigil) end() {
	if v != nil && !v.asked {
		v.asked = true
		close(v.stop)
	}
}

func (l *Lookout) run(begin func() (Watch, map[int]error), v, before *vigil) {
	w, refused := begin()
	words := make(map[int]string, len(refused))
	for gpu, err := range refused {
		words[gpu] = err.Error()
	}
	if before != nil {
		before.replaced.Store(true) // from now on v gets what it gets
	}
	l.Begun <- Beginning{w == nil, v, words}
	if w == nil {
		return
	}
	err := l.listen(w, v)
	w.Close()
	e := Ending{of: v}
	if err != nil {
		e.refused = make(map[int]string, len(v.on))
		for _, c := range v.on {
			e.refused[c.Index] = err.Error()
		}
	}
	l.Ended <- e
}

// listen puts events into the box until the vigil should end or the driver gives no more.
func (l *Lookout) listen(w Watch, v *vigil) error {
	for {
		select {
		case <-v.stop:
			return nil
		default:
		}
		e, ok, err := w.Next()
		if err != nil {
			return err
		}
		if ok && !v.replaced.Load() {
			l.Box.put(wire.Xid{GPU: e.GPU, Code: e.Code, MonoMS: l.now().Milliseconds()})
		}
	}
}

// Started notes that a vigil has begun, and ends the one before it. It reports whether it is news why GPUs give no
// Xids.
func (l *Lookout) Started(b Beginning) (news bool) {
	l.next = nil
	l.current.end()
	if b.None {
		l.running--
	} else {
		l.current = b.of
	}
	return l.explain(b.refused)
}

// Over notes that a vigil has ended. It reports whether GPUs are no longer watched, since the driver has failed, and
// whether it is news why.
func (l *Lookout) Over(e Ending) (failed, news bool) {
	l.running--
	if l.current != e.of {
		return false, false
	}
	l.current = nil
	if e.refused == nil {
		return false, false
	}
	return true, l.explain(e.refused)
}

// explain notes why GPUs give no Xids, and reports whether that is news.
func (l *Lookout) explain(refused map[int]string) bool {
	if maps.Equal(refused, l.refused) {
		return false
	}
	l.refused = refused
	return true
}

// Mark adds why there are no Xids to cards, without changing what others share.
func (l *Lookout) Mark(cards []wire.Card) []wire.Card {
	if len(l.refused) == 0 {
		return cards
	}
	cards = slices.Clone(cards)
	for i := range cards {
		if why := l.refused[cards[i].Index]; why != "" {
			absent := maps.Clone(cards[i].Absent)
			if absent == nil {
				absent = map[string][]string{}
			}
			absent[why] = append(slices.Clone(absent[why]), wire.AbsentXids)
			cards[i].Absent = absent
		}
	}
	return cards
}
