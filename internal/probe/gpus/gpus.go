// Package gpus reads the GPUs of the node, and keeps the list of them up to date: it finds those that come, that are
// lost and that come back, and a driver that goes away.
//
// A Stock is for one goroutine, the sampler's, which never calls into the driver itself, since a call may hang. A crew
// reads the GPUs on goroutines of its own, and one more takes the inventory, while a GPU is lost also beside the
// readings. Read waits for them only for a part of the interval: what comes late is in a later report, and a GPU that
// hangs keeps none of the others from it. As long as each GPU answers quickly, one goroutine at a time reads them. What
// the driver refuses, or a GPU does not have, is absent with its reason.
//
// # Reading a GPU
//
//   - Rates. The Reader of a row with Rate gives a counter. It is not a value, since NVLink's bytes exceed what a value
//     can hold within hours. The probe divides the increase by the time between two readings of that counter. There is
//     no rate in the first reading, after a counter went backwards or the GPU was lost, and in values that are
//     repeated. Nor is there one if a reading took more than a tenth of that time, since the driver does not say when
//     in a call it read the counter. Within 0.5 s the last rate is repeated.
//   - No garbage. A report without a list of processes allocates nothing of ours; a test counts. Two reports take
//     turns, since the Writer keeps the GPUs of the last one. A reading is never shared: each GPU has one for the
//     driver and one for the report, which change places when the first has ended. The shift and the round of a report
//     are used again only when their readings have all ended and no goroutine has them any more. What is left is
//     go-nvml's: it allocates the results of a call.
//   - Wake-ups. A timer of the kernel wakes one thread for a report. The monitor thread of the Go runtime cannot be
//     switched off: it wakes up with it, and sleeps for 20 µs again and again while anything runs. So a probe asks the
//     kernel for 1 ms of slack, before the runtime starts (bind.c). Besides reports, what comes from the login side and
//     the 5 s of the Xids wake it up.
//   - Absence has a reason. The first complete reading of a GPU decides which metrics of reports it lacks: Card.Absent
//     lists them under NVML's error message. What the GPU or the driver does not have is not asked for again until the
//     GPUs are listed anew; what we may not read is, and a Hello says when it is there. What is read once is also
//     listed when its call fails or has not returned; it is tried again every 10 s. What fails later in a report is
//     absent in that report, and no Hello says so.
//   - Cards do not wait for each other. They are read like the values for reports. The first Hello waits at most 750 ms
//     for them and 125 ms for the first readings. A GPU that hangs there is listed with what is known of it so far,
//     reports name the call, and a Hello of its own completes its card when the call returns. Until then nothing else
//     is asked of it.
//
// A collector that fails affects only itself: the report carries the fault, the other columns stay. A call that hangs
// affects only its GPU or its process: the probe reads GPUs one after the other, on a goroutine that it leaves behind
// after 250 ms, and continues with the rest on another. A report waits for the readings that it begins, up to half an
// interval or 5 s. A late reading is used in the next report. Reports keep their pace, and say which GPU hangs and how
// old its values are.
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
