// Package gpus reads the GPUs of the node, and keeps the list of them up to date: it finds those that come, that are
// lost and that come back, and a driver that goes away.
//
// A Stock is for one goroutine, the sampler's, which never calls into the driver itself, since a call may hang. A crew
// reads the GPUs on goroutines of its own, and one more takes the inventory, while a GPU is lost also beside the
// readings. Read waits for them only for a part of the interval: what comes late is in a later report, and a GPU that
// hangs keeps none of the others from it. As long as each GPU answers quickly, one goroutine at a time reads them. What
// the driver refuses, or a GPU does not have, is absent with its reason.
package gpus

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/clock"
	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/xid"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Options connect a Stock to its surroundings.
type Options struct {
	Library  driver.Library
	Proc     string // mount point of procfs
	Now      func() clock.Moment
	Patience clock.Beat    // ticks while GPUs are read
	Interval time.Duration // between two reports; it may change
}

// Stock is the GPUs of the node.
type Stock struct {
	Options
	Taken   chan Inventory   // each is passed to Settle
	Cards   <-chan struct{}  // then Complete is called
	Late    <-chan time.Time // then Blind is called
	Due     <-chan time.Time // then Retake is called
	Lookout *xid.Lookout     // of the Xids; what it says goes to Watched and Unwatched

	ended <-chan struct{} // closed at the end; nil: never
	cards Inventory
	crew  *crew

	listings []driver.Listing // of the last report
	counted  uint64           // calls into the driver up to the last report

	taking    bool          // the inventory is being taken
	void      bool          // the inventory that is being taken is out of date
	reopening bool          // NVML is being initialized again: no GPU may be read
	reopened  time.Duration // Moment.Mono of the last initialization
	reopenDue bool          // the driver is to be opened when nobody watches any more
	late      *time.Timer   // runs while the inventory is being taken
	retry     *time.Timer   // runs only while the inventory is incomplete: a wake-up costs half as much as a report
	retrying  bool          // it runs
}

// New returns a Stock that knows no GPU yet.
func New(opts Options) *Stock {
	crew := newCrew()
	s := &Stock{
		Options: opts,
		Taken:   make(chan Inventory, 1),
		Cards:   crew.cards,
		Lookout: xid.New(func() time.Duration { return opts.Now().Mono }),

		cards: Inventory{lib: opts.Library, crew: crew},
		crew:  crew,
		late:  time.NewTimer(time.Hour),
		retry: time.NewTimer(time.Hour),
	}
	s.late.Stop()
	s.retry.Stop()
	s.Late, s.Due = s.late.C, s.retry.C
	return s
}

// Start takes the first inventory. Nothing waits for the driver any more when ended is closed.
func (s *Stock) Start(ended <-chan struct{}) {
	s.ended = ended
	s.take()
}

// Hello returns what is known of the GPUs. Callers must not change it.
func (s *Stock) Hello() wire.Hello {
	h := s.cards.hello
	h.GPUs = s.Lookout.Mark(h.GPUs)
	return h
}

// Explain notes what GPUs lack, and reports whether that is news.
func (s *Stock) Explain() (news bool) { return s.cards.explain() }

// Close releases the driver, but leaves it alone while a call into it is running: the process exits soon.
func (s *Stock) Close() {
	s.retry.Stop()
	s.late.Stop()
	s.Lookout.End()
	s.crew.close()
	if s.crew.idle() && !s.taking && !s.Lookout.Running() {
		s.cards.close()
	}
}
