// Package gpus reads the GPUs of the node, and keeps the list of GPUs up to date: it notices GPUs that appear, are lost
// or come back, and a driver that goes away.
//
// A Set is for one goroutine, the sampler. The sampler never calls the driver itself, since a call may hang. A pool
// reads the GPUs on goroutines of its own, and another goroutine takes the inventory; while a GPU is lost, it also runs
// during readings. Read waits for both only for a part of the interval: late values go into a later report, and a hung
// GPU does not keep other GPUs out of a report. As long as each GPU answers quickly, one goroutine at a time reads
// them. Values that the driver refuses, or that a GPU does not have, are absent with a reason.
//
// # Reading a GPU
//
//   - Rates. The Reader of a row with Rate returns a counter. The counter itself is no value, since NVLink's bytes
//     exceed the range of a value within hours. The probe divides the increase by the time between two readings of the
//     counter. There is no rate in the first reading, after a counter went backwards or the GPU was lost, and in
//     repeated values. There is also no rate if a reading took more than a tenth of that time, since the driver does
//     not say when during the call it read the counter. Within 0.5 s the last rate is repeated.
//   - No garbage. Our code allocates nothing for a report without a list of processes; a test counts the allocations.
//     Two reports take turns, since the Writer keeps the GPUs of the last report. A reading is never shared: each GPU
//     has one reading for the driver and one for the report, and they change places when the driver's reading has
//     ended. The shift and the round of a report are reused only when all of their readings have ended and no goroutine
//     holds them. The remaining allocations are those of go-nvml, for the results of a call.
//   - Wake-ups. A timer of the kernel wakes one thread for a report. The monitor thread of the Go runtime cannot be
//     switched off: it wakes up too, and repeatedly sleeps for 20 µs while anything runs. So a probe asks the kernel
//     for 1 ms of slack, before the runtime starts (bind.c). Apart from reports, only input from the login side and the
//     5 s timer of the Xids wake the probe.
//   - Absence has a reason. The first complete reading of a GPU decides which metrics of reports it lacks: Card.Absent
//     lists them under NVML's error message. A metric that the GPU or the driver does not have is not requested again
//     until the GPUs are listed anew. A metric that we may not read is requested again, and a Hello announces it when
//     it is available. A metric that is read once is also listed when its call fails or has not returned; it is retried
//     every 10 s. A metric that fails in a later report is absent from that report, without a Hello: the
//     report has a Fault, also if the driver says of a metric that the GPU has given that it has none.
//   - Cards do not wait for each other. They are read like the values for reports. The first Hello waits at most 750 ms
//     for the cards and 125 ms for the first readings. A GPU that hangs then is listed with the facts known so far,
//     reports name the call, and a Hello of its own completes the card when the call returns. Until then the driver is
//     asked nothing else about this GPU.
//
// A collector that fails affects only itself: the report contains the fault, and the other columns stay. A call that
// hangs affects only its GPU or its process: the probe reads the GPUs one after the other on a goroutine, leaves that
// goroutine behind after 250 ms, and continues with the remaining GPUs on another. A report waits for the readings that
// it begins, up to half an interval or 5 s. A late reading is used in the next report. Reports keep their pace, and say
// which GPU hangs and how old its values are.
package gpus

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Options connect a Set to its surroundings.
type Options struct {
	Library  driver.Library
	Proc     string // mount point of procfs
	Now      func() sample.Moment
	Patience sample.Beat   // ticks while GPUs are read
	Interval time.Duration // between two reports; it may change
}

// Set holds the GPUs of the node.
type Set struct {
	Options
	Taken    chan Inventory      // pass each one to Settle
	Cards    <-chan struct{}     // after each element, call Complete
	Late     <-chan time.Time    // after each element, call Blind
	Due      <-chan time.Time    // after each element, call Retake
	Listener *driver.XidListener // of the Xids; its results go to Watched and Unwatched

	ended <-chan struct{} // closed at the end; nil: never
	cards Inventory
	pool  *pool

	listings []driver.Listing // of the last report
	counted  uint64           // driver calls up to the last report

	newcomers newcomers
	taking    bool          // the inventory is being taken
	void      bool          // the inventory that is being taken is out of date
	reopening bool          // NVML is being initialized again: no GPU may be read
	reopened  time.Duration // Moment.Mono of the last initialization
	reopenDue bool          // the driver must be opened when the last vigil has ended
	late      *time.Timer   // runs while the inventory is being taken
	retry     *time.Timer   // runs only while the inventory is incomplete: a wake-up costs half as much as a report
	retrying  bool          // retry is running
}

// New returns a Set that knows no GPU yet.
func New(opts Options) *Set {
	pool := newPool()
	s := &Set{
		Options:  opts,
		Taken:    make(chan Inventory, 1),
		Cards:    pool.cards,
		Listener: driver.NewXidListener(func() time.Duration { return opts.Now().Mono }),

		cards: Inventory{lib: opts.Library, pool: pool},
		pool:  pool,
		late:  time.NewTimer(time.Hour),
		retry: time.NewTimer(time.Hour),
	}
	s.late.Stop()
	s.retry.Stop()
	s.Late, s.Due = s.late.C, s.retry.C
	return s
}

// Start takes the first inventory. After ended is closed, no goroutine waits for the driver.
func (s *Set) Start(ended <-chan struct{}) {
	s.ended = ended
	s.take()
}

// Hello returns the known facts about the GPUs. Callers must not change it.
func (s *Set) Hello() wire.Hello {
	h := s.cards.hello
	h.GPUs = s.Listener.Mark(h.GPUs)
	return h
}

// Explain records which metrics the GPUs lack, and reports whether they have changed.
func (s *Set) Explain() (news bool) { return s.cards.writeAbsent() }

// Close releases the driver, but leaves it alone while a driver call is running: the process exits soon.
func (s *Set) Close() {
	s.retry.Stop()
	s.late.Stop()
	s.Listener.End()
	s.pool.stopWorkers()
	if s.pool.isIdle() && !s.taking && !s.Listener.Running() {
		s.cards.shutDownNVML()
	}
}
