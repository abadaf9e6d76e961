package gpus

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// slowEvery is how often metrics of pace metric.Slow are read.
const slowEvery = metric.SlowSeconds * time.Second

// gpu is one GPU with its readings.
type gpu struct {
	driver.Slot

	// Protected by pool.mu.
	out   bool         // a reading is running or planned
	begun time.Time    // start of the reading; zero while it is planned
	round *round       // the round of the reading
	fresh bool         // back holds a reading that has not been collected yet
	found staticValues // what is known of its card

	hides atomic.Pointer[[]driver.InstanceID] // instances listed as GPUs of their own, with their processes; nil: none

	call atomic.Int32 // the call that the reading is making: an index of Readers, or one of the constants below

	// Owned by the reading while it is out.
	back   gpuAnswer
	answer driver.Answer // of the readers
	rates  rates
	listed time.Time // when processes were last listed

	examined bool           // a complete reading has ended: lacking and idle are final
	lacking  missingMetrics // metrics of reports that the GPU does not give
	idle     []bool         // readers that are no longer called
	// The last slow reading. Reports repeat it until the next one, so that every report is complete.
	slowKnown  bool          // there is one
	slowAt     time.Duration // Moment.Mono
	slow       metric.Values
	slowFaults []wire.Fault

	// Owned by the sampler, and by the inventory until it is settled.
	last   gpuAnswer
	isNew  bool           // last has not been in a report yet
	lacks  missingMetrics // metrics of reports; nil until they are known
	denied []metric.ID    // metrics among lacks that may become available at any time
	stated bool           // the card lists lacks
	once   onceState      // the state of the card
	hang   hungCall
}

// newGPU returns a GPU without any readings.
func newGPU(slot driver.Slot) *gpu {
	g := &gpu{Slot: slot}
	g.found = g.nothingFound()
	return g
}

// Calls of a reading besides its Readers.
const (
	callProcesses int32 = -1
	callUsage     int32 = -2
	callIdentity  int32 = -3
	callInstances int32 = -4
)

// readingRequest chooses the values to read.
type readingRequest struct {
	at        sample.Moment
	processes bool
	card      bool // the card, and nothing else
}

// gpuAnswer is the driver's answer for one GPU.
type gpuAnswer struct {
	round  uint64 // the number of its round
	ended  time.Time
	took   time.Duration
	values metric.Values
	faults []wire.Fault   // of collectors
	lacks  missingMetrics // only in the first complete reading
	err    error          // the GPU is lost or the driver is gone; the other fields are empty
	blank  bool           // no metric could be read: the handle may belong to a GPU that the driver no longer lists
	listing
}

// recordFault records that a collector failed.
func (r *gpuAnswer) recordFault(collector string, err error) {
	r.faults = append(r.faults, wire.Fault{Collector: collector, Error: err.Error()})
}

// recordCeased records that the driver no longer has a value.
func (r *gpuAnswer) recordCeased(collector string, err error) {
	r.faults = append(r.faults, wire.Fault{Collector: collector, Error: err.Error(), Ceased: true})
}

// hungCall is a driver call that has not returned.
type hungCall struct {
	call  int32
	begun time.Time // of its reading
	since time.Time // when it was first seen
}

// readReport reads everything about a GPU for one report.
func (g *gpu) readReport(q readingRequest) {
	r := &g.back
	*r = gpuAnswer{}
	if r.err = g.readSlow(q.at.Mono); r.err == nil {
		r.faults = append(r.faults, g.slowFaults...)
		r.values, r.err = g.readAll(metric.Fast, g.slow, g.newNote(r))
	}
	if r.err != nil {
		g.slowKnown = g.slowKnown && driver.KindOf(r.err) != driver.Lost
		g.rates.forgetCounters()
		return
	}
	g.endFirstReading(r)
	r.blank = r.values == g.slow && len(r.faults) > 0
	if q.processes {
		g.listProcesses(q.at.Wall)
	}
}

// readSlow reads the slow metrics if the last slow reading is old.
func (g *gpu) readSlow(now time.Duration) error {
	if g.slowKnown && now-g.slowAt < slowEvery {
		return nil
	}
	var r gpuAnswer
	g.slow, r.err = g.readAll(metric.Slow, metric.Values{}, g.newNote(&r))
	g.slowFaults = r.faults
	g.slowKnown, g.slowAt = r.err == nil && !slices.ContainsFunc(r.faults, mayReturn), now
	return r.err
}

// mayReturn reports whether a value may become available at any time. A value that has ceased is asked for at the usual
// pace.
func mayReturn(f wire.Fault) bool { return !f.Ceased }

// readAll adds the metrics of one pace to values. It returns an error if the GPU is lost or the driver is gone; it
// notes any other error.
func (g *gpu) readAll(pace metric.Pace, values metric.Values, note note) (metric.Values, error) {
	g.answer.Values = values
	for i := range g.Readers {
		if g.Readers[i].Row().Pace != pace || g.examined && g.idle[i] {
			continue
		}
		if err := g.askReader(i, note); err != nil {
			return metric.Values{}, err
		}
	}
	return g.answer.Values, nil
}

// askReader makes the call of one reader. It returns an error as readAll does.
func (g *gpu) askReader(i int, note note) error {
	a, r := &g.answer, &g.Readers[i]
	a.Counters, a.Refusals = a.Counters[:0], a.Refusals[:0]
	g.call.Store(int32(i))
	began := time.Now()
	if err := r.Read(a); err != nil {
		return note.noteRefused(err, r.IDs...)
	}
	for _, c := range a.Counters {
		a.Values.Set(c.ID, g.rates.ratePerSecond(c, began, time.Now()))
	}
	for _, f := range a.Refusals {
		if err := note.noteRefused(f.Err, f.ID); err != nil {
			return err
		}
	}
	return nil
}

// callName returns the name of a call for a Fault.
func (g *gpu) callName(call int32) string {
	switch {
	case call >= 0:
		return g.Readers[call].Row().Label
	case call == callIdentity:
		return "identity"
	case call == callInstances:
		return "MIG instances"
	}
	return "processes"
}
