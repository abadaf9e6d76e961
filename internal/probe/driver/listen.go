package driver

import (
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// XidWatch gets events from the driver. Its methods are called by one goroutine. Shutdown waits until Close has
// returned.
type XidWatch interface {
	// Next waits some seconds for an event: each wait wakes the node up once. It returns false if no event came, and an
	// error if no more events will come.
	Next() (e XidEvent, ok bool, err error)
	Close()
}

// XidEvent is an Xid of a GPU.
type XidEvent struct {
	GPU  int // Card.Index
	Code uint64
}

// XidListener runs Watches, each on its own goroutine, since a Watch waits in the driver all the time. When other GPUs
// are to be watched, the next Watch begins before the last one ends, so that no event is missed. An event in the
// milliseconds in which the driver registers the next Watch may be counted twice. The methods of a Listener are for one
// goroutine.
type XidListener struct {
	Box   XidBox
	Begun chan VigilBeginning // pass each one to Started
	Ended chan VigilEnding    // pass each one to Over

	now func() time.Duration // CLOCK_MONOTONIC

	refused map[int]string // reasons why GPUs give no Xids, by Card.Index
	current *cardWatch     // the vigil that gets the events; nil: none
	next    *cardWatch     // the vigil that registers with the driver; nil: none
	running int            // number of goroutines
}

// maxVigils is the maximum number of goroutines that watch: one, and its replacement.
const maxVigils = 2

// cardWatch is a Watch with its goroutine.
type cardWatch struct {
	on       []wire.Card   // its GPUs
	stop     chan struct{} // closed when the vigil should end, which takes seconds
	asked    bool          // stop is closed
	replaced atomic.Bool   // the next vigil gets the events
}

// VigilBeginning says that a vigil now gets events.
type VigilBeginning struct {
	None    bool // the vigil gets no events, and has ended
	of      *cardWatch
	refused map[int]string
}

// VigilEnding says that a vigil has ended.
type VigilEnding struct {
	of      *cardWatch
	refused map[int]string // the reasons of a Watch that failed; nil: the vigil was asked to end
}

// NewXidListener returns a Listener that watches nothing yet. Its events get their time from now.
func NewXidListener(now func() time.Duration) *XidListener {
	return &XidListener{
		now: now, Box: XidBox{Rung: make(chan struct{}, 1)},
		Begun: make(chan VigilBeginning, 1), Ended: make(chan VigilEnding, maxVigils), // at the end nobody receives them
	}
}

// Running reports whether a driver call may be under way.
func (l *XidListener) Running() bool { return l.running > 0 }

// Watch begins to watch GPUs, unless it watches them already. begin asks the driver for a Watch; it also returns the
// reasons, by Card.Index, why GPUs give no events, and a nil Watch if none does. GPUs watched before stay watched until
// the new Watch has begun. If it cannot begin yet, call Watch again when a vigil has begun or ended.
func (l *XidListener) Watch(cards []wire.Card, begin func() (XidWatch, map[int]error)) {
	if len(cards) == 0 || l.next != nil || l.running == maxVigils {
		return
	}
	if c := l.current; c != nil && (c.asked || slices.EqualFunc(c.on, cards, sameGPU)) {
		return
	}
	l.next = &cardWatch{on: cards, stop: make(chan struct{})}
	l.running++
	go l.runVigil(begin, l.next, l.current)
}

// sameGPU reports whether the driver's handle of a GPU is unchanged.
func sameGPU(a, b wire.Card) bool { return a.Index == b.Index && a.UUID == b.UUID && a.Lost == b.Lost }

// End asks all vigils to end. They do so within seconds.
func (l *XidListener) End() {
	for _, v := range []*cardWatch{l.current, l.next} {
		v.end()
	}
}

func (v *cardWatch) end() {
	if v != nil && !v.asked {
		v.asked = true
		close(v.stop)
	}
}

func (l *XidListener) runVigil(begin func() (XidWatch, map[int]error), v, before *cardWatch) {
	w, refused := begin()
	words := make(map[int]string, len(refused))
	for gpu, err := range refused {
		words[gpu] = err.Error()
	}
	if before != nil {
		before.replaced.Store(true) // from now on the events of v count
	}
	l.Begun <- VigilBeginning{w == nil, v, words}
	if w == nil {
		return
	}
	err := l.receiveEvents(w, v)
	w.Close()
	e := VigilEnding{of: v}
	if err != nil {
		e.refused = make(map[int]string, len(v.on))
		for _, c := range v.on {
			e.refused[c.Index] = err.Error()
		}
	}
	l.Ended <- e
}

// receiveEvents puts events into the box until the vigil should end or the driver gives no more.
func (l *XidListener) receiveEvents(w XidWatch, v *cardWatch) error {
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
			l.Box.addXid(wire.Xid{GPU: e.GPU, Code: e.Code, MonoMS: l.now().Milliseconds()})
		}
	}
}

// Started handles the beginning of a vigil, and ends the vigil before it. It reports whether the reasons for missing
// Xids have changed.
func (l *XidListener) Started(b VigilBeginning) (news bool) {
	l.next = nil
	l.current.end()
	if b.None {
		l.running--
	} else {
		l.current = b.of
	}
	return l.noteRefusals(b.refused)
}

// Over handles the end of a vigil. failed means that GPUs are no longer watched, since the driver failed; news means
// that the reasons for missing Xids have changed.
func (l *XidListener) Over(e VigilEnding) (failed, news bool) {
	l.running--
	if l.current != e.of {
		return false, false
	}
	l.current = nil
	if e.refused == nil {
		return false, false
	}
	return true, l.noteRefusals(e.refused)
}

// noteRefusals records the reasons why GPUs give no Xids, and reports whether they have changed.
func (l *XidListener) noteRefusals(refused map[int]string) bool {
	if maps.Equal(refused, l.refused) {
		return false
	}
	l.refused = refused
	return true
}

// Mark adds the reasons for missing Xids to cards. It copies the cards first, since others share them.
func (l *XidListener) Mark(cards []wire.Card) []wire.Card {
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
