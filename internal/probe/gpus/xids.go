package gpus

import (
	"fmt"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// watchXids begins to watch the GPUs of the inventory, if the library can.
func (s *Set) watchXids() {
	w, ok := s.cards.lib.(driver.Watcher)
	if !ok || !s.cards.up || s.cards.spent {
		return
	}
	slots, cards := s.cards.watchableGPUs()
	s.Listener.Watch(cards, func() (driver.XidWatch, map[int]error) { return w.Watch(slots) })
}

// watchableGPUs returns the GPUs that can be watched: a GPU that does not respond would prevent the watch of all
// others.
func (n *Inventory) watchableGPUs() (slots []driver.Slot, cards []wire.Card) {
	for i, g := range n.gpus {
		if !g.once.pending {
			slots, cards = append(slots, g.Slot), append(cards, n.hello.GPUs[i])
		}
	}
	return slots, cards
}

// ReadXids adds the events since the previous report.
func (s *Set) ReadXids(sm *sample.Report) {
	xids, left := s.Listener.Box.Take()
	for _, x := range xids {
		// A GPU may have left the list since the event.
		if slices.ContainsFunc(s.cards.hello.GPUs, func(c wire.Card) bool { return c.Index == x.GPU }) {
			sm.Xids = append(sm.Xids, x)
		}
	}
	if left > 0 {
		sm.Fault("xids", fmt.Errorf("more than %d events: %d left out", wire.MaxXids, left))
	}
}

// Watched is called after a vigil has begun: the GPUs may have changed meanwhile. It reports whether the reason for
// missing Xids has changed.
func (s *Set) Watched(b driver.VigilBeginning) (news bool) {
	news = s.Listener.Started(b)
	if !s.openUnwatched() && !b.None {
		s.watchXids()
	}
	return news
}

// Unwatched is called after a vigil has ended. A failed Watch is tried again with the next inventory. It returns the
// same as Watched.
func (s *Set) Unwatched(e driver.VigilEnding) (news bool) {
	failed, news := s.Listener.Over(e)
	if !s.openUnwatched() && !failed {
		s.watchXids()
	}
	return news
}

// openUnwatched opens the driver if an opening is due and the last vigil has ended. It reports whether an opening was
// due.
func (s *Set) openUnwatched() bool {
	due := s.reopenDue
	if due && !s.Listener.Running() {
		s.reopenDue = false
		s.take()
	}
	return due
}
