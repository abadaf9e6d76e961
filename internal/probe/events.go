package probe

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

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

// hurryEvery is how often at most an Xid makes a report off the beat.
const hurryEvery = time.Second

// lookoutEnd says how a lookout's goroutine ended.
type lookoutEnd struct {
	asked   bool           // end was called
	refused map[int]string // the Watch could not go on
}

// lookout runs a Watch on its own goroutine, since it waits in the driver all the time. Its other methods belong to the sampler.
type lookout struct {
	now   func() Moment
	box   eventBox
	ended chan lookoutEnd

	told    chan map[int]string // refused
	refused map[int]string      // by Card.Index: why there are no Xids
	on      []wire.Card         // the GPUs that it watches; nil: it does not run
	stop    chan struct{}       // closed: it should end; nil: it does not run, or has been asked to end
}

func newLookout(now func() Moment) *lookout {
	return &lookout{now: now, box: eventBox{rung: make(chan struct{}, 1)}, ended: make(chan lookoutEnd, 1), told: make(chan map[int]string, 1)}
}

// running reports whether a call into the driver may be under way.
func (l *lookout) running() bool { return l.on != nil }

// watch begins to watch the GPUs of an inventory, unless it does so already. If others are watched it ends, to begin again.
func (l *lookout) watch(n *inventory) {
	w, ok := n.lib.(Watcher)
	switch {
	case !ok || !n.up || n.spent || len(n.gpus) == 0:
	case l.on == nil:
		l.on, l.stop = n.hello.GPUs, make(chan struct{})
		slots := make([]Slot, 0, len(n.gpus))
		for _, g := range n.gpus {
			slots = append(slots, g.Slot)
		}
		go l.run(w, slots, l.stop)
	case !slices.EqualFunc(l.on, n.hello.GPUs, sameGPU):
		l.end()
	}
}

// sameGPU reports whether the driver's handle of a GPU is still the one that it was.
func sameGPU(a, b wire.Card) bool { return a.Index == b.Index && a.UUID == b.UUID && a.Lost == b.Lost }

// end asks the goroutine to end. It does so within seconds.
func (l *lookout) end() {
	if l.stop != nil {
		close(l.stop)
		l.stop = nil
	}
}

func (l *lookout) run(from Watcher, slots []Slot, stop <-chan struct{}) {
	w, refused := from.Watch(slots)
	words := make(map[int]string, len(refused))
	for gpu, err := range refused {
		words[gpu] = err.Error()
	}
	l.told <- words
	if w == nil {
		l.ended <- lookoutEnd{}
		return
	}
	err := l.listen(w, stop)
	w.Close()
	if err == nil {
		l.ended <- lookoutEnd{asked: true}
		return
	}
	words = make(map[int]string, len(slots))
	for _, s := range slots {
		words[s.Index] = err.Error()
	}
	l.ended <- lookoutEnd{refused: words}
}

// listen puts events into the box until stop is closed or the driver gives no more.
func (l *lookout) listen(w Watch, stop <-chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		e, ok, err := w.Next()
		if err != nil {
			return err
		}
		if ok {
			l.box.put(wire.Xid{GPU: e.GPU, Code: e.Code, MonoMS: l.now().Mono.Milliseconds()})
		}
	}
}

// over notes that the goroutine has ended.
func (l *lookout) over() { l.on, l.stop = nil, nil }

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

// eventBox holds events until the next report.
type eventBox struct {
	rung chan struct{} // there is something new

	mu   sync.Mutex // protects the following
	xids []wire.Xid
	left int // those that did not fit
}

func (b *eventBox) put(x wire.Xid) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.xids) == wire.MaxXids {
		b.left++
		return
	}
	b.xids = append(b.xids, x)
	select {
	case b.rung <- struct{}{}:
	default:
	}
}

func (b *eventBox) take() (xids []wire.Xid, left int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	xids, left = b.xids, b.left
	b.xids, b.left = nil, 0
	return xids, left
}

// hurry reports an event at once, or as soon as the last report of one is old enough.
func (s *sampler) hurry() error {
	if s.pace == nil { // the first report has it
		return nil
	}
	now := s.opts.Now().Mono
	if wait := s.hurried + hurryEvery - now; s.hurried > 0 && wait > 0 {
		s.hurryLater.Reset(wait)
		return nil
	}
	s.hurried = now
	return s.report(true)
}

// collectXids adds the events since the last report.
func (s *sampler) collectXids(sm *sample) {
	xids, left := s.lookout.box.take()
	for _, x := range xids {
		// A GPU that was listed when the event came may be gone from the list.
		if slices.ContainsFunc(s.cards.hello.GPUs, func(c wire.Card) bool { return c.Index == x.GPU }) {
			sm.Xids = append(sm.Xids, x)
		}
	}
	if left > 0 {
		sm.fault("xids", fmt.Errorf("more than %d events: %d left out", wire.MaxXids, left))
	}
}

// unwatched goes on after the lookout has ended: the driver that was waiting for it is opened, or other GPUs are watched. A Watch that
// failed is tried again with the next inventory.
func (s *sampler) unwatched(e lookoutEnd) error {
	s.lookout.over()
	switch {
	case s.reopenDue:
		s.reopenDue = false
		s.takeStock()
	case e.asked:
		s.lookout.watch(&s.cards)
	}
	if e.refused == nil {
		return nil
	}
	return s.explain(e.refused)
}

// explain announces why there are no Xids.
func (s *sampler) explain(refused map[int]string) error {
	if s.lookout.explain(refused) && s.greeted {
		return s.announce()
	}
	return nil
}
