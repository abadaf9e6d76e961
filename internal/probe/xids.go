package probe

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// hurryEvery is how often at most an Xid makes a report off the beat.
const hurryEvery = time.Second

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

// empty reports whether the last report has everything.
func (b *eventBox) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.xids) == 0
}

// hurry reports an event at once, or as soon as the last report of one is old enough, unless a report on the beat has it by then.
func (s *sampler) hurry() error {
	if s.pace == nil || s.lookout.box.empty() { // without a pace: the first report has it
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

// watched goes on after a vigil has begun: the GPUs may be others again.
func (s *sampler) watched(b beginning) error {
	s.lookout.started(b)
	if !s.openUnwatched() && !b.none {
		s.lookout.watch(&s.cards)
	}
	return s.explain(b.refused)
}

// unwatched goes on after a vigil has ended. A Watch that failed is tried again with the next inventory.
func (s *sampler) unwatched(e ending) error {
	failed := s.lookout.over(e) && e.refused != nil
	if !s.openUnwatched() && !failed {
		s.lookout.watch(&s.cards)
	}
	if failed {
		return s.explain(e.refused)
	}
	return nil
}

// openUnwatched opens the driver if that waits for the vigils, and the last one has ended. It reports whether the driver is to be opened.
func (s *sampler) openUnwatched() bool {
	due := s.reopenDue
	if due && s.lookout.running == 0 {
		s.reopenDue = false
		s.takeStock()
	}
	return due
}

// explain announces why there are no Xids.
func (s *sampler) explain(refused map[int]string) error {
	if s.lookout.explain(refused) && s.greeted {
		return s.announce()
	}
	return nil
}
