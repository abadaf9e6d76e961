package probe

import (
	"maps"
	"slices"
	"sync/atomic"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Watcher is a Library that tells of the Xids of its GPUs.
type Watcher interface {
	// Watch asks the driver for the Xids of the GPUs of slots from now on. refused says by Slot.Index why some give none. The Watch is nil if
	// all refuse.
	Watch(slots []Slot) (w Watch, refused map[int]error)
}

// Watch gets events from the driver. Its methods are called by one goroutine. Shutdown waits until Close has returned.
type Watch interface {
	// Next waits some seconds for an event: each wait wakes the node up once. It returns false if there was none, and an error if there
	// will be no more.
	Next() (e Event, ok bool, err error)
	Close()
}

// Event is an Xid of a GPU.
type Event struct {
	GPU  int // Slot.Index
	Code uint64
}

// lookout runs Watches, each on its own goroutine, since it waits in the driver all the time. When other GPUs are to be watched, the next
// Watch begins before the last one ends, so that no event is missed. Its methods belong to the sampler.
type lookout struct {
	now func() Moment
	box eventBox

	begun chan beginning
	ended chan ending

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

// beginning says that a vigil gets events.
type beginning struct {
	of      *vigil
	none    bool // it gets none, and has ended
	refused map[int]string
}

// ending says that a vigil has ended.
type ending struct {
	of      *vigil
	refused map[int]string // the Watch could not go on; nil: it was asked to end
}

func newLookout(now func() Moment) *lookout {
	return &lookout{
		now: now, box: eventBox{rung: make(chan struct{}, 1)},
		begun: make(chan beginning, 1), ended: make(chan ending, maxVigils), // nobody waits for them at the end
	}
}

// watch begins to watch the GPUs of an inventory, unless it does so already. If others are watched they are so until it has begun. What
// cannot begin yet is tried again when a vigil has begun or ended.
func (l *lookout) watch(n *inventory) {
	w, ok := n.lib.(Watcher)
	if !ok || !n.up || n.spent || l.next != nil || l.running == maxVigils {
		return
	}
	slots, cards := n.watchable()
	if c := l.current; len(slots) == 0 || c != nil && (c.asked || slices.EqualFunc(c.on, cards, sameGPU)) {
		return
	}
	l.next = &vigil{on: cards, stop: make(chan struct{})}
	l.running++
	go l.run(w, slots, l.next, l.current)
}

// watchable are the GPUs that can be watched: one that does not respond would keep the others from it.
func (n *inventory) watchable() (slots []Slot, cards []wire.Card) {
	for i, g := range n.gpus {
		if !g.once.pending {
			slots, cards = append(slots, g.Slot), append(cards, n.hello.GPUs[i])
		}
	}
	return slots, cards
}

// sameGPU reports whether the driver's handle of a GPU is still the one that it was.
func sameGPU(a, b wire.Card) bool { return a.Index == b.Index && a.UUID == b.UUID && a.Lost == b.Lost }

// end asks all vigils to end. They do so within seconds.
func (l *lookout) end() {
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

func (l *lookout) run(from Watcher, slots []Slot, v, before *vigil) {
	w, refused := from.Watch(slots)
	words := make(map[int]string, len(refused))
	for gpu, err := range refused {
		words[gpu] = err.Error()
	}
	if before != nil {
		before.replaced.Store(true) // from now on v gets what it gets
	}
	l.begun <- beginning{v, w == nil, words}
	if w == nil {
		return
	}
	err := l.listen(w, v)
	w.Close()
	e := ending{of: v}
	if err != nil {
		e.refused = make(map[int]string, len(slots))
		for _, s := range slots {
			e.refused[s.Index] = err.Error()
		}
	}
	l.ended <- e
}

// listen puts events into the box until the vigil should end or the driver gives no more.
func (l *lookout) listen(w Watch, v *vigil) error {
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
			l.box.put(wire.Xid{GPU: e.GPU, Code: e.Code, MonoMS: l.now().Mono.Milliseconds()})
		}
	}
}

// started notes that a vigil has begun. It ends the one before it.
func (l *lookout) started(b beginning) {
	l.next = nil
	l.current.end()
	if !b.none {
		l.current = b.of
		return
	}
	l.running--
}

// over notes that a vigil has ended. It reports whether that was the current one.
func (l *lookout) over(e ending) (current bool) {
	l.running--
	if current = l.current == e.of; current {
		l.current = nil
	}
	return current
}

// explain notes why GPUs give no Xids, and reports whether that is news.
func (l *lookout) explain(refused map[int]string) bool {
	if maps.Equal(refused, l.refused) {
		return false
	}
	l.refused = refused
	return true
}

// mark adds why there are no Xids to cards, without changing what others share.
func (l *lookout) mark(cards []wire.Card) []wire.Card {
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
