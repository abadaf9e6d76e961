package source

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/bell"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// asker is slurm.Client. Ask lists the jobs, Next asks one open question about them, Cancel ends or signals one, and
// Logs finds the files of its output. Supply runs a command of a question for the GPUs of the cluster.
type asker interface {
	Ask(context.Context) (*slurm.Answer, error)
	Next(context.Context) (*slurm.Answer, error)
	Cancel(ctx context.Context, job, signal string) error
	Logs(ctx context.Context, job string) (*cluster.LogFiles, error)
	KnownLogs(ctx context.Context, job string) (*cluster.LogFiles, error)
	Accounts(ctx context.Context, job string) ([]sacct.Job, error)
	Supply(ctx context.Context, q *capacity.SupplyQuestion) (*capacity.Supply, error)
	Run(ctx context.Context, argv ...string) (stdout, stderr []byte, err error)
}

// discoverer asks SLURM for the jobs again and again: at once after an event, otherwise at a pace that depends on
// whether the user is present. In between it asks the open questions, with rests, so that it uses at most half of the
// controller's time.
type discoverer struct {
	slurm asker
	first *EarlyAnswer  // replaces the first question if it is recent; may be nil
	floor time.Duration // shortest time from an answer of squeue to the next question for the jobs

	// Only run uses the following.
	known     cluster.Discovery // with the last answer
	schedule  schedule
	heard     time.Time // end of the last command
	follow    time.Time // earliest time of the next open question
	pull      time.Time // time of the next question for the jobs after an event; zero: there was no event
	followed  bool      // an open question was asked since the last question for the jobs
	published time.Time // time of the last publication of known

	mu     sync.Mutex // protects the following
	key    time.Time  // when a key was last pressed
	seen   schedule   // as it was at the last question
	listed bool       // the list of jobs is on the screen

	refresh bell.Bell // the user wants an answer now
	lost    bell.Bell // a session was lost, so its job may have ended
	back    bell.Bell // the user is back after a while, or opens the list of jobs

	orders chan slurmCommand
}

// slurmCommand is a user's command to SLURM. It waits for its turn, since one command runs at a time.
type slurmCommand struct {
	ctx     context.Context
	do      func(ctx context.Context) error
	done    chan<- error // has room for the result
	changes bool         // it may change the jobs
}

// EarlyAnswer is an answer that squeue gave before the program was ready for it.
type EarlyAnswer struct {
	Answer *slurm.Answer
	Err    error
	At     time.Time
	Took   time.Duration
	Kept   bool // another program kept it, after asking all questions about the jobs; recent enough for the user
}

// publishGap is the shortest time between two Discoveries while a quick controller answers open questions.
const publishGap = 500 * time.Millisecond

func newDiscoverer(from asker, user, host string) *discoverer {
	return &discoverer{
		slurm:   from,
		known:   cluster.Discovery{Command: slurm.Question, User: user, Host: host},
		refresh: bell.New(), lost: bell.New(), back: bell.New(), orders: make(chan slurmCommand),
	}
}

// runDiscovery asks SLURM until ctx ends, and publishes what is known. Before the first answer, it publishes only the
// question. It returns command.ErrNoSlurm if the first question finds no SLURM.
func (d *discoverer) runDiscovery(ctx context.Context, emit func(cluster.Discovery)) error {
	d.noteKey() // the user who starts the program is present
	emit(d.known)
	for lost, ok := false, true; ok; lost, ok = d.waitForNext(ctx, emit) {
		err := d.updateJobs(ctx, lost)
		switch {
		case hasEnded(ctx):
			return nil
		case err != nil:
			return err
		}
		d.publishState(emit)
	}
	return nil
}

// hasEnded reports whether ctx has ended. Here that is not an error.
func hasEnded(ctx context.Context) bool { return ctx.Err() != nil }

func (d *discoverer) publishState(emit func(cluster.Discovery)) {
	d.published = time.Now()
	emit(d.known)
}

// updateJobs asks for the jobs, and keeps the answer. Its error is command.ErrNoSlurm, or that of ctx.
func (d *discoverer) updateJobs(ctx context.Context, lost bool) error {
	before := d.known.Jobs
	over := d.overSince(d.known.Asked, time.Now())
	said := d.askJobs(ctx)
	if hasEnded(ctx) || errors.Is(said.Err, command.ErrNoSlurm) && d.known.Asked.IsZero() {
		return said.Err
	}
	d.known.Took, d.known.Asked = said.Took, d.heard
	if said.Answer != nil {
		d.known.Answered = said.At
	}
	d.applyAnswer(said.Answer, said.Err)
	d.schedule.beginRound(d.known.Took, d.known.Failure != nil, roundReasons{lost, over}, !sameJobs(before, d.known.Jobs))
	d.pull, d.followed = time.Time{}, false
	d.known.Next = d.nextQuestion()
	return nil
}

// askJobs asks for the jobs, unless that has just been done, by this or another program.
func (d *discoverer) askJobs(ctx context.Context) EarlyAnswer {
	began, heard := time.Now(), d.first
	d.first = nil
	switch {
	case heard != nil && heard.Kept:
		d.restController(began)
		return *heard
	case heard != nil && began.Sub(heard.At) < d.floor:
		d.heard, d.follow = heard.At, heard.At.Add(heard.Took)
		return *heard
	}
	answer, err := d.slurm.Ask(ctx)
	took := d.restController(began)
	return EarlyAnswer{Answer: answer, Err: err, At: d.heard, Took: took}
}

// followUp asks one open question.
func (d *discoverer) followUp(ctx context.Context, emit func(cluster.Discovery)) {
	began := time.Now()
	answer, err := d.slurm.Next(ctx)
	if hasEnded(ctx) {
		return
	}
	took := d.restController(began)
	d.followed = true
	d.applyAnswer(answer, err)
	d.schedule.addQuestion(took, d.known.Failure != nil)
	d.known.Next = d.nextQuestion()
	if !d.known.Asking || d.heard.Sub(d.published) >= publishGap {
		d.publishState(emit)
	}
}

// restController notes the end of a command, lets the controller rest for the same duration, and returns that duration.
func (d *discoverer) restController(began time.Time) time.Duration {
	d.heard = time.Now()
	took := d.heard.Sub(began)
	d.follow = d.heard.Add(took)
	return took
}

// sameJobs reports whether a and b are the same runs of the same jobs, in the same state.
func sameJobs(a, b []cluster.Job) bool {
	return slices.EqualFunc(a, b, func(a, b cluster.Job) bool {
		return a.ID == b.ID && a.Start.Equal(b.Start) && a.Suspended == b.Suspended
	})
}

// applyAnswer keeps an answer. Without one, the jobs stay as they are, and no more questions about them follow.
func (d *discoverer) applyAnswer(answer *slurm.Answer, err error) {
	d.known.Failure = reach.AsFailure(err, reach.ClassSlurm)
	d.known.Asking = answer != nil && answer.More
	d.known.Topology = answer != nil && answer.Topology
	if answer != nil {
		d.known.Note = answer.Note
		d.known.Jobs, d.known.Pending, d.known.Ended, d.known.Switches = answer.Jobs, answer.Pending, answer.Ended,
			answer.Switches
	}
}

// nextQuestion returns the time of the next question for the jobs.
func (d *discoverer) nextQuestion() time.Time {
	if d.pull.IsZero() {
		return d.pacedQuestion()
	}
	return earlierTime(d.pacedQuestion(), laterTime(d.pull, d.earliestQuestion()))
}

// earliestQuestion returns the earliest possible time of the next question for the jobs: the controller has rested, and
// the floor has passed.
func (d *discoverer) earliestQuestion() time.Time {
	return laterTime(d.follow, d.known.Asked.Add(d.floor))
}

// pacedQuestion returns the time of the next question for the jobs if there is no event: after the interval, or when
// the time limit of a job is reached.
func (d *discoverer) pacedQuestion() time.Time {
	d.mu.Lock()
	d.schedule.listed = d.listed
	d.seen = d.schedule
	d.mu.Unlock()
	asked, interval := d.known.Asked, d.currentInterval()
	next := asked.Add(interval)
	soonest := asked.Add(d.schedule.endGap(interval))
	for i := range d.known.Jobs {
		if end := d.known.Jobs[i].End; end.After(asked) {
			next = earlierTime(next, laterTime(end.Add(endSlack), soonest))
		}
	}
	return laterTime(next, d.earliestQuestion())
}

// currentInterval returns the time from one question to the next if there is no event. It may be called from any
// goroutine.
func (d *discoverer) currentInterval() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seen.questionInterval(time.Since(d.key))
}

// overSince reports whether the time limit of a job was reached after from, and not after to.
func (d *discoverer) overSince(from, to time.Time) bool {
	return slices.ContainsFunc(d.known.Jobs, func(j cluster.Job) bool { return j.End.After(from) && !j.End.After(to) })
}

func earlierTime(a, b time.Time) time.Time {
	return slices.MinFunc([]time.Time{a, b}, time.Time.Compare)
}
func laterTime(a, b time.Time) time.Time { return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare) }

// waitForNext asks the open questions until it is time to ask for the jobs again. It returns whether a session was lost
// in the meantime; ok is false if ctx ended.
func (d *discoverer) waitForNext(ctx context.Context, emit func(cluster.Discovery)) (lost, ok bool) {
	timer := time.NewTimer(time.Until(d.nextWakeup()))
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false, false
		case <-timer.C:
			if !d.hasFollowUp() {
				return lost, true
			}
			if d.followUp(ctx, emit); hasEnded(ctx) {
				return false, false
			}
		case <-d.refresh:
			d.hurryQuestion(leastGap, emit)
		case <-d.lost:
			lost = true
			d.hurryQuestion(d.schedule.lostGap(), emit)
		case <-d.back:
			d.hurryQuestion(d.attendedInterval(), emit)
		case o := <-d.orders:
			if d.runOrder(ctx, o); hasEnded(ctx) {
				return false, false
			}
			if o.changes {
				d.hurryQuestion(leastGap, emit) // the job may be gone
			}
		}
		timer.Reset(time.Until(d.nextWakeup()))
	}
}

// cancelJob cancels or signals a job, once no other command is running and the controller has rested.
func (d *discoverer) cancelJob(ctx context.Context, job, signal string) error {
	o := slurmCommand{changes: true, do: func(ctx context.Context) error { return d.slurm.Cancel(ctx, job, signal) }}
	return d.giveOrder(ctx, o, errTurn, errUnsure)
}

// findLogs finds the files of a job's output, under the same conditions.
func (d *discoverer) findLogs(ctx context.Context, job string) (*cluster.LogFiles, error) {
	return askInTurn(ctx, d, job, d.slurm.Logs, errBusy, errBusy)
}

// findKnownLogs is findLogs, which asks SLURM only about jobs whose files it has not named yet.
func (d *discoverer) findKnownLogs(ctx context.Context, job string) (*cluster.LogFiles, error) {
	return askInTurn(ctx, d, job, d.slurm.KnownLogs, errBusy, errBusy)
}

// askInTurn passes a question to SLURM as an order, and returns the answer.
func askInTurn[Question, Answer any](ctx context.Context, d *discoverer, q Question,
	ask func(context.Context, Question) (Answer, error), late, unsure error) (none Answer, err error) {
	answer := make(chan Answer, 1)
	err = d.giveOrder(ctx, slurmCommand{do: func(ctx context.Context) error {
		got, err := ask(ctx, q)
		answer <- got
		return err
	}}, late, unsure)
	if err != nil {
		return none, err
	}
	return <-answer, nil
}

// giveOrder waits for the result of an order. If ctx ends, the error is late before the order's turn, and unsure while
// it runs.
func (d *discoverer) giveOrder(ctx context.Context, o slurmCommand, late, unsure error) error {
	done := make(chan error, 1)
	o.ctx, o.done = ctx, done
	select {
	case d.orders <- o:
	case <-ctx.Done():
		return late
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return unsure
	}
}

// Reasons why an order was given up.
var (
	errTurn   = errors.New("scancel was not run: SLURM still answers another command")
	errUnsure = errors.New("SLURM did not answer: it may or may not have received the request")
	errBusy   = errors.New("SLURM did not say where the log is: it still answers another command")
)

// runOrder carries out an order that nobody has given up.
func (d *discoverer) runOrder(ctx context.Context, o slurmCommand) {
	rested := time.NewTimer(time.Until(d.follow))
	defer rested.Stop()
	select {
	case <-rested.C:
	case <-o.ctx.Done():
		return
	case <-ctx.Done():
		return
	}
	began := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(o.ctx, cancel)()
	o.done <- o.do(ctx)
	d.restController(began)
}

// hasFollowUp reports whether an open question comes before the next question for the jobs. At least one does, however
// many events there are.
func (d *discoverer) hasFollowUp() bool {
	return (d.known.Asking || d.known.Topology) && (!d.followed || d.follow.Before(d.known.Next))
}

// nextWakeup returns the time of the next question.
func (d *discoverer) nextWakeup() time.Time {
	if d.hasFollowUp() {
		return d.follow
	}
	return d.known.Next
}

// hurryQuestion moves the next question for the jobs forward: to gap after the last command, or to the earliest allowed
// time.
func (d *discoverer) hurryQuestion(gap time.Duration, emit func(cluster.Discovery)) {
	next := laterTime(d.heard.Add(gap), d.earliestQuestion())
	if !next.Before(d.known.Next) {
		return
	}
	d.pull, d.known.Next = next, next
	d.publishState(emit)
}
