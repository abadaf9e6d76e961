package probe

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	minInterval = 250     // of wire.Pace, in ms
	maxInterval = 600_000 // likewise

	// retryEvery is how often the probe tries a driver that does not work, or a GPU that is lost, again.
	retryEvery = 10 * time.Second
	// reopenEvery is how often NVML is initialized again while all GPUs are lost. That may take seconds.
	reopenEvery = time.Minute
	// driverPatience is how long the driver may take to list its GPUs before the Hello says that it hangs. The reader of the Hello waits 30 s.
	driverPatience = 20 * time.Second
)

// driverSilent is the error message for a driver that hangs.
const driverSilent = "the driver does not respond"

// sample is a report that is being built.
type sample struct {
	wire.Report
	at     Moment
	wanted bool   // processes were requested
	gone   string // NVML's error message if the driver went away in this sample
}

// fault records that a collector failed for the node, or for GPUs.
func (s *sample) fault(collector string, err error, gpus ...int) {
	s.add(wire.Fault{Collector: collector, Error: err.Error(), GPUs: gpus})
}

// merge adds the faults of one GPU.
func (s *sample) merge(faults []wire.Fault, gpu int) {
	for _, f := range faults {
		f.GPUs = []int{gpu}
		s.add(f)
	}
}

// add adds a fault. GPUs with the same error share one.
func (s *sample) add(f wire.Fault) {
	said := func(o wire.Fault) bool { return o.Collector == f.Collector && o.Error == f.Error }
	if i := slices.IndexFunc(s.Faults, said); i >= 0 {
		s.Faults[i].GPUs = append(s.Faults[i].GPUs, f.GPUs...)
		return
	}
	s.Faults = append(s.Faults, f)
}

// unlisted is why the processes of a GPU are not listed; empty if they were not requested.
func (s *sample) unlisted(why string) string {
	if !s.wanted {
		return ""
	}
	return why
}

// sampler keeps the requested pace and writes reports. It never calls into the driver itself, since a call may hang: a crew reads the
// GPUs, and a goroutine takes the inventory.
type sampler struct {
	opts  Options
	out   *output
	cards inventory
	crew  crew
	host  *hostReader
	procs *localProcesses
	ended <-chan struct{} // closed at the end; nil: never

	greeted   bool
	stocked   chan inventory
	taking    bool          // the inventory is being taken
	void      bool          // the inventory that is being taken is out of date
	reopening bool          // NVML is being initialized again: no GPU may be read
	reopened  time.Duration // Moment.Mono of the last initialization
	stockLate *time.Timer   // runs while the inventory is being taken

	pace     *wire.Pace // nil until requested
	beat     Beat
	patience Beat        // runs while GPUs are read
	retry    *time.Timer // runs only while the inventory is incomplete: a wake-up costs half as much as a report
	retrying bool        // it runs
	seq      uint64
}

func newSampler(out *output, opts Options) *sampler {
	opts = opts.complete()
	s := &sampler{
		opts:  opts,
		out:   out,
		cards: inventory{lib: opts.Library},
		host:  newHostReader(opts.Proc),
		procs: newLocalProcesses(opts.Proc),
		crew:  crew{hands: make(chan *shift)},

		stocked:   make(chan inventory, 1),
		stockLate: time.NewTimer(time.Hour),
		retry:     time.NewTimer(time.Hour),
		beat:      opts.Beat,
		patience:  opts.Patience,
	}
	s.retry.Stop()
	s.stockLate.Stop()
	return s
}

// run writes reports until ctx ends or out cannot be written. The magic line comes before any call into the driver, which may take
// seconds.
func (s *sampler) run(ctx context.Context, asked <-chan request) error {
	s.ended = ctx.Done()
	defer s.close()
	if err := s.out.write(); err != nil {
		return err
	}
	s.takeStock()
	for {
		heard := asked
		if !s.greeted { // the Hello comes first
			heard = nil
		}
		var err error
		select {
		case <-ctx.Done():
			return nil
		case r := <-heard:
			err = s.answer(r)
		case <-s.beat.C:
			err = s.report(false)
		case next := <-s.stocked:
			err = s.settle(next)
		case <-s.stockLate.C:
			err = s.blind()
		case <-s.retry.C:
			s.retrying = false
			s.takeStock()
		}
		if err != nil {
			return err
		}
	}
}

// close releases what run acquired. It leaves NVML alone while a call into it is running: the process exits soon.
func (s *sampler) close() {
	s.beat.Stop()
	s.retry.Stop()
	s.stockLate.Stop()
	s.host.close()
	close(s.crew.hands)
	if s.crew.idle() && !s.taking {
		s.cards.close()
	}
}

// retryLater plans to take the inventory again.
func (s *sampler) retryLater() {
	if !s.retrying && !s.taking {
		s.retrying = true
		s.retry.Reset(retryEvery)
	}
}

// takeStock starts to take the inventory, while reports continue. If all GPUs are lost it initializes NVML again. While a call into the
// driver is running it does nothing.
func (s *sampler) takeStock() {
	if !s.crew.idle() {
		s.retryLater()
		return
	}
	now := s.opts.Now().Mono
	reopen := s.cards.allLost() && now-s.reopened >= reopenEvery
	if reopen || !s.cards.up {
		s.reopened = now
	}
	s.taking, s.void, s.reopening = true, false, reopen
	s.stockLate.Reset(driverPatience)
	old := s.cards
	go func() { s.stocked <- old.taken(reopen, s.opts.Proc) }()
}

// settle adopts an inventory and announces it if it changed. As long as something is missing it will be taken again.
func (s *sampler) settle(next inventory) error {
	reopened := s.reopening
	s.taking, s.reopening = false, false
	s.stockLate.Stop()
	if s.void || !s.crew.idle() {
		s.retryLater()
		return nil
	}
	changed := !reflect.DeepEqual(s.cards.hello, next.hello)
	if !reopened {
		next.keep(&s.cards)
	}
	s.cards = next
	if s.cards.outdated() {
		return ErrOutdated
	}
	if s.cards.incomplete() {
		s.retryLater()
	}
	if !changed {
		return nil
	}
	return s.announce()
}

// blind announces that the driver hangs while it lists its GPUs, unless they are already known and can be read.
func (s *sampler) blind() error {
	if len(s.cards.gpus) > 0 && !s.reopening {
		return nil
	}
	s.cards.gpus = nil
	s.cards.hello = wire.Hello{GPUs: []wire.Card{}, Fault: driverSilent, FaultID: wire.FaultHangs}
	return s.announce()
}

// announce sends a Hello, and a report right after it, since the one before it is out of date.
func (s *sampler) announce() error {
	if err := s.hello(); err != nil || s.pace == nil {
		return err
	}
	return s.report(true)
}

// answer replies, and adopts the new pace if it is valid.
func (s *sampler) answer(r request) error {
	wrong := check(r)
	if err := s.out.write(wire.Message{Reply: replyTo(r, wrong)}); err != nil {
		return err
	}
	if wrong == nil {
		return s.setPace(*r.Pace)
	}
	return nil
}

// setPace adopts a new pace. The first one begins with a report; one that newly requests processes causes a report off the beat.
// The beat changes only with the interval, so that opening and closing a pane does not delay the next sample.
func (s *sampler) setPace(pace wire.Pace) error {
	old := s.pace
	s.pace = &pace
	if old == nil || old.IntervalMS != pace.IntervalMS {
		s.beat.Reset(time.Duration(pace.IntervalMS) * time.Millisecond)
	}
	switch {
	case old == nil:
		return s.report(false)
	case pace.Processes && !old.Processes:
		return s.report(true)
	}
	return nil
}

// report takes a sample and writes it. If the driver has gone away, a Hello that says so comes first, so that the GPUs of a report
// are always those of the Hello before it.
func (s *sampler) report(offBeat bool) error {
	sm := s.take()
	if sm.gone != "" {
		s.cards.drop(sm.gone)
		s.void = true
		s.retryLater()
		if err := s.hello(); err != nil {
			return err
		}
		sm.GPUs, sm.Processes, sm.Listed = []wire.GPU{}, nil, false
	}
	s.seq++
	sm.Seq, sm.OffBeat = s.seq, offBeat
	err := s.out.write(wire.Message{Report: &sm.Report})
	if errors.Is(err, wire.ErrLineTooLong) { // not too many processes, but together too long
		sm.fault("processes", fmt.Errorf("process list too long for one report: %d left out", len(sm.Processes)))
		sm.Processes, sm.Listed = nil, false
		err = s.out.write(wire.Message{Report: &sm.Report})
	}
	return err
}

// take runs the collectors.
func (s *sampler) take() *sample {
	at := s.opts.Now()
	sm := &sample{at: at, wanted: s.pace != nil && s.pace.Processes, Report: wire.Report{MonoMS: at.Mono.Milliseconds()}}
	s.collectHost(sm)
	s.collectGPUs(sm)
	s.collectProcesses(sm)
	return sm
}

func (s *sampler) hello() error {
	s.greeted = true
	h := s.cards.hello
	h.Build = s.opts.Build
	describeHost(&h, s.opts.Proc)
	return s.out.write(wire.Message{Hello: &h})
}
