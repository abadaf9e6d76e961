package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/host"
	"github.com/nvnodetop/nvnodetop/internal/probe/launch"
	"github.com/nvnodetop/nvnodetop/internal/probe/xid"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	minInterval = 250     // of wire.Pace, in ms
	maxInterval = 600_000 // likewise
)

// sampler keeps the requested pace and writes reports. It never calls into the driver itself, since a call may hang: a crew reads the
// GPUs, and a goroutine takes the inventory.
type sampler struct {
	opts  Options
	out   *output
	cards inventory
	crew  *crew
	host  *host.Reader
	jobs  *host.Jobs
	job   string // of the probe's own cgroup
	procs *localProcesses
	lists agenda // when processes are listed that nobody asked for

	lookout    *xid.Lookout
	hurried    time.Duration // Moment.Mono of the last report because of an Xid
	hurryLater *time.Timer   // runs while the next one has to wait
	reopenDue  bool          // the driver is to be opened when nobody watches any more

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
	crew := newCrew()
	s := &sampler{
		opts:  opts,
		out:   out,
		cards: inventory{lib: opts.Library, crew: crew},
		host:  host.New(opts.Proc, opts.Sys),
		jobs:  host.NewJobs(opts.Proc),
		job:   launch.OwnJob(opts.Proc),
		procs: newLocalProcesses(opts.Proc),
		crew:  crew,

		stocked:   make(chan inventory, 1),
		stockLate: time.NewTimer(time.Hour),
		retry:     time.NewTimer(time.Hour),

		lookout:    xid.New(func() time.Duration { return opts.Now().Mono }),
		hurryLater: time.NewTimer(time.Hour),

		beat:     opts.Beat,
		patience: opts.Patience,
	}
	s.retry.Stop()
	s.stockLate.Stop()
	s.hurryLater.Stop()
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
		case <-s.crew.late:
			err = s.complete()
		case <-s.stockLate.C:
			err = s.blind()
		case <-s.retry.C:
			s.retrying = false
			s.takeStock()
		case b := <-s.lookout.Begun:
			err = s.watched(b)
		case e := <-s.lookout.Ended:
			err = s.unwatched(e)
		case <-s.lookout.Box.Rung:
			err = s.hurry()
		case <-s.hurryLater.C:
			err = s.hurry()
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
	s.host.Close()
	s.hurryLater.Stop()
	s.lookout.End()
	s.crew.close()
	if s.crew.idle() && !s.taking && !s.lookout.Running() {
		s.cards.close()
	}
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
// are always those of the Hello before it. So does one that says what a GPU lacks, when that became known.
func (s *sampler) report(offBeat bool) error {
	sm := s.take()
	told := !s.cards.explain()
	if sm.gone != "" {
		s.cards.drop(sm.gone)
		s.lookout.End()
		s.void, told = true, false
		s.retryLater()
		sm.GPUs, sm.Processes, sm.Listed = []wire.GPU{}, nil, false
	}
	if !told {
		if err := s.hello(); err != nil {
			return err
		}
	}
	s.seq++
	sm.Seq, sm.OffBeat = s.seq, offBeat
	err := s.out.write(wire.Message{Report: &sm.Report})
	if errors.Is(err, wire.ErrLineTooLong) { // not too many processes, but together too long
		sm.unlist(fmt.Errorf("process list too long for one report: %d left out", len(sm.Processes)))
		err = s.out.write(wire.Message{Report: &sm.Report})
	}
	return err
}

// take runs the collectors.
func (s *sampler) take() *sample {
	at := s.opts.Now()
	sm := &sample{at: at, Report: wire.Report{MonoMS: at.Mono.Milliseconds(), WallMS: at.Wall.UnixMilli()}}
	sm.wanted = s.pace != nil && (s.pace.Processes || s.lists.due(at.Mono))
	s.collectHost(sm)
	s.collectGPUs(sm)
	s.collectProcesses(sm)
	s.collectJobs(sm)
	s.collectXids(sm)
	return sm
}

func (s *sampler) hello() error {
	s.greeted, s.lists = true, agenda{} // by its indices the last list named the GPUs
	h := s.cards.hello
	h.GPUs = s.lookout.Mark(h.GPUs)
	h.Build = s.opts.Build
	describeHost(&h, s.opts.Proc)
	return s.out.write(wire.Message{Hello: &h})
}
