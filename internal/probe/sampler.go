package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	minInterval = 250     // of wire.Pace, in ms
	maxInterval = 600_000 // likewise

	// retryEvery is how often a driver that does not answer, or a GPU without a handle, is tried again.
	retryEvery = 10 * time.Second
)

// sample is a report in the making.
type sample struct {
	wire.Report
	at   Moment
	gone string // NVML's words when the driver went away in this sample
}

// fault notes that a collector failed. The same words of several GPUs are said once.
func (s *sample) fault(collector string, err error) {
	s.addFaults([]wire.Fault{{Collector: collector, Error: err.Error()}})
}

func (s *sample) addFaults(faults []wire.Fault) {
	for _, f := range faults {
		said := func(o wire.Fault) bool { return o.Collector == f.Collector && o.Error == f.Error }
		if !slices.ContainsFunc(s.Faults, said) {
			s.Faults = append(s.Faults, f)
		}
	}
}

// sampler keeps the pace that is asked for and writes reports, all from one goroutine.
type sampler struct {
	opts  Options
	out   *output
	cards *inventory
	host  *hostReader
	procs *localProcesses

	listed time.Time // when procs were last listed

	pace  *wire.Pace // nil until asked for
	beat  Beat
	retry *time.Timer // runs while the inventory is incomplete: to wake up for nothing costs as much as half a report
	seq   uint64
}

func newSampler(out *output, opts Options) *sampler {
	opts = opts.complete()
	s := &sampler{
		opts:  opts,
		out:   out,
		cards: &inventory{lib: opts.Library},
		host:  newHostReader(opts.Proc),
		procs: newLocalProcesses(opts.Proc),
		retry: time.NewTimer(time.Hour),
	}
	s.retry.Stop()
	if s.beat = opts.Beat; s.beat.C == nil {
		s.beat = tickerBeat()
	}
	return s
}

// run speaks until ctx ends or out cannot be written. It greets before it calls into the driver, which may take seconds.
func (s *sampler) run(ctx context.Context, asked <-chan request) error {
	defer s.cards.close()
	defer s.host.close()
	if err := s.out.write(); err != nil {
		return err
	}
	defer s.beat.Stop()
	defer s.retry.Stop()
	if err := s.takeStock(); err != nil {
		return err
	}
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case r := <-asked:
			err = s.answer(r)
		case <-s.beat.C:
			err = s.report(false)
		case <-s.retry.C:
			err = s.takeStock()
		}
		if err != nil {
			return err
		}
	}
}

// takeStock attaches to the driver where it is not yet, lists the GPUs, and says so when something changed. It comes again as long as
// something is missing.
func (s *sampler) takeStock() error {
	changed := s.cards.refresh()
	if s.cards.outdated() {
		return ErrOutdated
	}
	if s.cards.incomplete() {
		s.retry.Reset(retryEvery)
	}
	if !changed {
		return nil
	}
	return s.hello()
}

// answer replies, and takes on the pace when it is one.
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

// setPace takes on a new pace. The first one begins with a report; one that asks for processes anew brings a report off the beat.
// The beat itself changes only when its interval does, so that a pane opened and closed does not delay the next sample.
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

// report samples and writes. When the driver went away meanwhile, a Hello that says so comes first, so that the report's GPUs are
// always those of the Hello before it.
func (s *sampler) report(offBeat bool) error {
	sm := s.take()
	if sm.gone != "" {
		s.cards.drop(sm.gone)
		s.retry.Reset(retryEvery)
		if err := s.hello(); err != nil {
			return err
		}
		sm.GPUs, sm.Processes, sm.Listed = []wire.GPU{}, nil, false
	}
	s.seq++
	sm.Seq, sm.OffBeat = s.seq, offBeat
	err := s.out.write(wire.Message{Report: &sm.Report})
	if errors.Is(err, wire.ErrLineTooLong) { // the processes, though not too many, are together too long
		sm.fault("processes", fmt.Errorf("%d processes are too long for one report: left out", len(sm.Processes)))
		sm.Processes, sm.Listed = nil, false
		err = s.out.write(wire.Message{Report: &sm.Report})
	}
	return err
}

// take runs the collectors.
func (s *sampler) take() *sample {
	at := s.opts.Now()
	sm := &sample{at: at, Report: wire.Report{MonoMS: at.Mono.Milliseconds()}}
	s.collectHost(sm)
	s.collectGPUs(sm)
	s.collectProcesses(sm)
	return sm
}

func (s *sampler) hello() error {
	h := s.cards.hello
	h.Build = s.opts.Build
	describeHost(&h, s.opts.Proc)
	return s.out.write(wire.Message{Hello: &h})
}
