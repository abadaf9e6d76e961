package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/gpus"
	"github.com/nvnodetop/nvnodetop/internal/probe/host"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/probe/procs"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	minInterval = 250     // limits of wire.Pace, in ms
	maxInterval = 600_000 // likewise
)

// hurryEvery is the shortest time between two off-beat reports because of Xids.
const hurryEvery = time.Second

// sampler keeps the requested pace and writes reports: each collector puts its values into a sample. When the GPUs
// change, it writes a Hello.
type sampler struct {
	opts  Options
	out   *output
	gpus  *gpus.Set
	procs *procs.Table
	host  *host.Reader
	of    *proc.LaunchJobs // maps cgroups to jobs
	jobs  *host.Jobs

	greeted bool           // a Hello was written
	place   proc.JobMember // place of the probe in the last Hello
	sooner  bool           // the next tick of the beat is for the second report; after it, the beat follows the pace
	pace    *wire.Pace     // nil until requested
	beat    sample.Beat
	seq     uint64
	room    [2]sample.Report // this report and the previous one: the Writer keeps the GPUs of the previous one

	hurried    time.Duration // Moment.Mono of the last off-beat report because of an Xid
	hurryLater *time.Timer   // runs while the next such report has to wait
}

func newSampler(out *output, opts Options) *sampler {
	opts = opts.withDefaults()
	jobs := proc.NewLaunchJobs(opts.Proc)
	s := &sampler{
		opts: opts,
		out:  out,
		gpus: gpus.New(gpus.Options{
			Library: opts.Library, Proc: opts.Proc, Now: opts.Now, Patience: opts.Patience,
			Interval: minInterval * time.Millisecond,
		}),
		procs: procs.New(opts.Proc, jobs),
		host:  host.New(opts.Proc, opts.Sys),
		of:    jobs,
		jobs:  host.NewJobs(opts.Proc, jobs),

		beat:       opts.Beat,
		hurryLater: time.NewTimer(time.Hour),
	}
	s.hurryLater.Stop()
	return s
}

// runSampler writes reports until ctx ends or out cannot be written. The magic line comes before any call into the
// driver, which may take seconds.
func (s *sampler) runSampler(ctx context.Context, asked <-chan request) error {
	defer s.closeSampler()
	if err := s.out.writeMessages(); err != nil {
		return err
	}
	s.gpus.Start(ctx.Done())
	for {
		heard := asked
		if !s.greeted { // the Hello comes first
			heard = nil
		}
		var err error
		news := false // the GPUs have changed
		select {
		case <-ctx.Done():
			return nil
		case r := <-heard:
			err = s.answerRequest(r)
		case <-s.beat.C:
			if s.sooner {
				s.sooner = false
				s.beat.Reset(s.gpus.Interval)
			}
			err = s.writeReport(false)
		case <-s.gpus.Listener.Box.Rung:
			err = s.reportEvent()
		case <-s.hurryLater.C:
			err = s.reportEvent()
		case i := <-s.gpus.Taken:
			news, err = s.gpus.Settle(i)
		case <-s.gpus.Cards:
			news = s.gpus.Complete()
		case <-s.gpus.Late:
			news = s.gpus.Blind()
		case <-s.gpus.Due:
			s.gpus.Retake()
		case b := <-s.gpus.Listener.Begun:
			news = s.gpus.Watched(b) && s.greeted
		case e := <-s.gpus.Listener.Ended:
			news = s.gpus.Unwatched(e) && s.greeted
		}
		if news {
			err = s.announceHello()
		}
		if err != nil {
			return err
		}
	}
}

// closeSampler releases what runSampler acquired.
func (s *sampler) closeSampler() {
	s.beat.Stop()
	s.hurryLater.Stop()
	s.host.Close()
	s.gpus.Close()
}

// answerRequest replies to a request, and adopts its pace if the pace is valid.
func (s *sampler) answerRequest(r request) error {
	wrong := checkRequest(r)
	if err := s.out.writeMessages(wire.Message{Reply: replyTo(r, wrong)}); err != nil {
		return err
	}
	if wrong == nil {
		return s.setPace(*r.Pace)
	}
	return nil
}

// setPace adopts a new pace. The first pace begins with a report. A pace that newly asks for processes brings a report
// off the beat. The beat changes only with the interval, so that opening and closing a pane does not delay the next
// sample.
func (s *sampler) setPace(pace wire.Pace) error {
	old := s.pace
	s.pace = &pace
	if old == nil || old.IntervalMS != pace.IntervalMS {
		s.gpus.Interval = time.Duration(pace.IntervalMS) * time.Millisecond
		s.sooner = false
		s.beat.Reset(s.gpus.Interval)
	}
	switch {
	case old == nil:
		err := s.writeReport(false)
		// counted from the end of the first report, however long it took
		if second := time.Duration(pace.SecondMS) * time.Millisecond; second > 0 && second < s.gpus.Interval {
			s.sooner = true
			s.beat.Reset(second)
		}
		return err
	case pace.Processes && !old.Processes:
		return s.writeReport(true)
	}
	return nil
}

// reportEvent sends a report with an event at once, or hurryEvery after the last such report, unless a regular report
// carries the event earlier.
func (s *sampler) reportEvent() error {
	if s.pace == nil || s.gpus.Listener.Box.Empty() { // without a pace, the first report will have the event
		return nil
	}
	now := s.opts.Now().Mono
	if wait := s.hurried + hurryEvery - now; s.hurried > 0 && wait > 0 {
		s.hurryLater.Reset(wait)
		return nil
	}
	s.hurried = now
	return s.writeReport(true)
}

// announceHello sends a Hello and right after it a report, since the previous report is out of date.
func (s *sampler) announceHello() error {
	if err := s.writeHello(); err != nil || s.pace == nil {
		return err
	}
	return s.writeReport(true)
}

// writeHello writes a Hello. The next report lists processes, since the last list named GPUs by their old indices.
func (s *sampler) writeHello() error {
	s.greeted = true
	s.procs.Renew()
	h := s.gpus.Hello()
	h.Build = s.opts.Build
	host.Describe(&h, s.opts.Proc, s.opts.Sys)
	s.place = s.of.Own()
	h.Job, h.SLUID = s.place.Job, s.place.SLUID
	return s.out.writeMessages(wire.Message{Hello: &h})
}

// writeReport takes a sample and writes it. A Hello comes first if the driver has gone away, so that the GPUs of a
// report are always those of the Hello before it. A Hello also comes first if a lacking metric of a GPU has just become
// known.
func (s *sampler) writeReport(offBeat bool) error {
	sm := s.take()
	news := s.gpus.Explain() || s.hasFoundJob(sm)
	if sm.Gone != "" {
		s.gpus.Drop(sm.Gone)
		news = true
		sm.GPUs, sm.Processes, sm.Listed = []wire.GPU{}, nil, false
	}
	if news {
		if err := s.writeHello(); err != nil {
			return err
		}
	}
	s.seq++
	sm.Seq, sm.OffBeat = s.seq, offBeat
	err := s.out.writeMessages(wire.Message{Report: &sm.Report})
	if errors.Is(err, wire.ErrLineTooLong) { // there are not too many processes, but their text is too long
		sm.Unlist(fmt.Errorf("process list too long for one report: %d left out", len(sm.Processes)))
		err = s.out.writeMessages(wire.Message{Report: &sm.Report})
	}
	return err
}

// hasFoundJob reports whether the probe's own job, so far unknown, has become known. It searches only when processes
// are listed.
func (s *sampler) hasFoundJob(sm *sample.Report) bool {
	return s.place.SLUID != "" && sm.Listed && s.of.Own().SLUID == ""
}

// take runs the collectors.
func (s *sampler) take() *sample.Report {
	sm := &s.room[s.seq%2]
	sm.Begin(s.opts.Now())
	sm.Wanted = s.pace != nil && (s.pace.Processes || s.procs.Due(sm.At))
	s.readHost(sm)
	s.gpus.Read(sm)
	s.readProcesses(sm)
	s.readJobs(sm)
	s.gpus.ReadXids(sm)
	s.gpus.ReadCalls(sm)
	return sm
}

// readHost reads the metrics of the node.
func (s *sampler) readHost(sm *sample.Report) {
	if err := s.host.Read(&sm.Host.Values, sm.At.Mono, sm.At.Boot); err != nil {
		sm.Fault("host", err)
	}
}

// readProcesses lists the processes of all GPUs, if this report has a list.
func (s *sampler) readProcesses(sm *sample.Report) {
	if sm.Wanted && sm.Gone == "" {
		on, complete := s.gpus.Listings(sm)
		s.procs.Read(sm, on, complete, s.opts.Now())
	}
}

// readJobs reads the memory of jobs: the probe's own job, and the jobs of the user's processes in the last list.
func (s *sampler) readJobs(sm *sample.Report) {
	if sm.Listed || s.seq == 0 {
		s.jobs.FollowUsers(sm.Processes)
	}
	jobs, err := s.jobs.Read(sm.At.Mono)
	if err != nil {
		sm.Fault("job_memory", err)
	}
	sm.Jobs = jobs
}
