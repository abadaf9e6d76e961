package report

import (
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Observer watches one job.
type Observer struct {
	id    string
	every time.Duration // between two looks for findings

	mu    sync.Mutex // protects the following
	store *store.Store
	disc  cluster.Discovery // the last one

	job      *cluster.JobView // as of the last look while it ran; nil: it has not begun
	from     time.Time        // beginning of the watch
	last     time.Time        // of the last Event
	next     time.Time        // time of the next look
	missed   time.Time        // when SLURM first did not list it; zero: it runs
	over     *cluster.EndedJob
	rests    time.Time     // when its suspension began; zero: it is not suspended
	rested   time.Duration // how long it was suspended before that
	sum      account
	pending  []sample // samples since SLURM last said that the job was running
	findings problemLog
	stacks   []report.Stacks // what the ranks did each time they were asked
}

// leastLook is the shortest time between two looks at the job's problems. An ended problem stays in a Snapshot for much
// longer.
const leastLook = 3 * time.Second

// New returns an Observer of the job with this ID or this number; an array task has both. poll is the interval of the
// nodes.
func New(id string, poll time.Duration, rules cluster.Rules) *Observer {
	return &Observer{id: id, every: max(poll, leastLook), store: store.New(poll, rules)}
}

// Apply applies the next Event.
func (o *Observer) Apply(e cluster.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	e.At = e.At.Round(0) // without the monotonic clock, which a recording does not have
	o.store.Apply(e)
	if e.At.After(o.last) {
		o.last = e.At
	}
	switch {
	case e.Discovery != nil:
		o.noteDiscovery(e.At)
	case e.Mark != nil && o.job != nil && o.job.Marked(e.Mark):
		o.sum.book.Take(e.Mark)
	case e.Stacks != nil && o.job != nil:
		if d := o.store.Snapshot(e.At).Stacks[o.job.ID]; d != nil && d.Job == e.Stacks.Job { // it is safe to display
			o.noteStacks(d)
		}
	case e.Report != nil && o.isListed():
		o.collectSample(&e)
	}
	if o.isListed() && !e.At.Before(o.next) {
		o.noteState(o.store.Snapshot(e.At))
	}
}

// isListed reports whether SLURM has listed the job, and still lists it.
func (o *Observer) isListed() bool { return o.job != nil && o.missed.IsZero() }

func (o *Observer) collectSample(e *cluster.Event) {
	n := o.store.Node(e.Node, e.At)
	if n == nil || n.Hello == nil || !slices.Contains(o.job.Nodes, n.Name) {
		return
	}
	o.pending = append(o.pending, newSample(&o.job.Job, n, e.Report))
}

// noteDiscovery keeps SLURM's answer.
func (o *Observer) noteDiscovery(at time.Time) {
	s := o.store.Snapshot(at)
	o.disc = s.Discovery
	d := &o.disc
	switch {
	case d.Failure != nil: // the jobs are from the last answer
	case !o.missed.IsZero():
		o.noteEnd(d)
	case o.findJob(s) != nil:
		if o.job == nil {
			o.begin(o.findJob(s), at)
		}
		o.noteState(s)
		o.commitSamples(d.Answered)
		o.noteSuspension(at)
	case o.job != nil:
		o.missed = at
		o.noteEnd(d)
	}
}

// findJob returns the job; nil: SLURM does not list it.
func (o *Observer) findJob(s *cluster.Snapshot) *cluster.JobView {
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Is(o.id) {
			return j
		}
	}
	return nil
}

func (o *Observer) begin(j *cluster.JobView, at time.Time) {
	o.job, o.from = j, at
	if j.Start.After(at) {
		o.from = j.Start
	}
}

// noteState notes the state and the problems of the job.
func (o *Observer) noteState(s *cluster.Snapshot) {
	if j := o.findJob(s); j != nil {
		o.job = j
		o.findings.noteProblems(s, j)
	}
	o.next = s.At.Add(o.every)
}

// noteSuspension notes whether the job is suspended.
func (o *Observer) noteSuspension(at time.Time) {
	switch {
	case o.job.Suspended == !o.rests.IsZero():
	case o.job.Suspended:
		o.rests = at
	default:
		o.rested += at.Sub(o.rests)
		o.rests = time.Time{}
	}
}

// noteEnd notes how the job ended, as far as SLURM has said.
func (o *Observer) noteEnd(d *cluster.Discovery) {
	for i := range d.Ended {
		if e := d.Ended[i]; e.ID == o.job.ID {
			o.over = &e
		}
	}
}

// commitSamples counts the samples up to a time at which the job was still running.
func (o *Observer) commitSamples(until time.Time) {
	left := o.pending[:0]
	for i := range o.pending {
		if s := &o.pending[i]; s.at.After(until) {
			left = append(left, *s)
		} else {
			o.sum.take(s)
		}
	}
	clear(o.pending[len(left):])
	o.pending = left
}

// Stage is the stage of the job.
type Stage int

// Stages of a job.
const (
	Unknown Stage = iota // SLURM has not answered yet
	Absent               // SLURM has answered, and does not list the job
	Waits                // it is in the queue
	Runs                 // it has nodes
	Ends                 // it has ended or is ending, and SLURM has not yet said how
	Ended                // it has ended
)

// Stage returns the stage of the job, and SLURM's last answer.
func (o *Observer) Stage() (Stage, cluster.Discovery) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.currentStage(), o.disc
}

func (o *Observer) currentStage() Stage {
	switch {
	case o.over != nil && !o.over.Asking && !o.over.Over().IsZero():
		return Ended
	case !o.missed.IsZero():
		return Ends
	case o.job != nil:
		return Runs
	case slices.ContainsFunc(o.disc.Pending, func(p cluster.PendingJob) bool { return p.ID == o.id }):
		return Waits
	case o.disc.Answered.IsZero():
		return Unknown
	}
	return Absent
}

// Report returns the report up to the last Event, or to the end of the job; nil if SLURM has never listed the job.
func (o *Observer) Report() *Report {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.job == nil {
		return nil
	}
	to := o.endTime()
	sum := o.sum.copyAccount()
	for i := range o.pending {
		if s := &o.pending[i]; !s.at.After(to) {
			sum.take(s)
		}
	}
	d := draft{job: o.job, from: o.from, to: to, sum: sum, over: o.over, stage: o.currentStage(), rested: o.rested,
		stacks: slices.Clone(o.stacks)}
	if !o.rests.IsZero() {
		d.rested += max(to.Sub(o.rests), 0)
	}
	return d.makeReport(&o.findings)
}

// endTime returns when the time of the report ends.
func (o *Observer) endTime() time.Time {
	to := o.last
	if !o.missed.IsZero() {
		to = o.missed
	}
	if o.over != nil && !o.over.End.IsZero() && o.over.End.Before(to) {
		to = o.over.End
	}
	if to.Before(o.from) {
		return o.from
	}
	return to
}
