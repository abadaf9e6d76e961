package probe

import (
	"fmt"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/xid"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// hurryEvery is how often at most an Xid makes a report off the beat.
const hurryEvery = time.Second

// watch watches the GPUs of the inventory, if the library can.
func (s *sampler) watch() {
	w, ok := s.cards.lib.(driver.Watcher)
	if !ok || !s.cards.up || s.cards.spent {
		return
	}
	slots, cards := s.cards.watchable()
	s.lookout.Watch(cards, func() (xid.Watch, map[int]error) { return w.Watch(slots) })
}

// watchable are the GPUs that can be watched: one that does not respond would keep the others from it.
func (n *inventory) watchable() (slots []driver.Slot, cards []wire.Card) {
	for i, g := range n.gpus {
		if !g.once.pending {
			slots, cards = append(slots, g.Slot), append(cards, n.hello.GPUs[i])
		}
	}
	return slots, cards
}

// hurry reports an event at once, or as soon as the last report of one is old enough, unless a report on the beat has it by then.
func (s *sampler) hurry() error {
	if s.pace == nil || s.lookout.Box.Empty() { // without a pace: the first report has it
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
	xids, left := s.lookout.Box.Take()
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

// watched goes on after a vigil has begun: the GPUs may be others again.
func (s *sampler) watched(b xid.Beginning) error {
	news := s.lookout.Started(b)
	if !s.openUnwatched() && !b.None {
		s.watch()
	}
	return s.announceXids(news)
}

// unwatched goes on after a vigil has ended. A Watch that failed is tried again with the next inventory.
func (s *sampler) unwatched(e xid.Ending) error {
	failed, news := s.lookout.Over(e)
	if !s.openUnwatched() && !failed {
		s.watch()
	}
	return s.announceXids(news)
}

// openUnwatched opens the driver if that waits for the vigils, and the last one has ended. It reports whether the driver is to be opened.
func (s *sampler) openUnwatched() bool {
	due := s.reopenDue
	if due && !s.lookout.Running() {
		s.reopenDue = false
		s.takeStock()
	}
	return due
}

// announceXids announces why there are no Xids, if that is news.
func (s *sampler) announceXids(news bool) error {
	if news && s.greeted {
		return s.announce()
	}
	return nil
}
