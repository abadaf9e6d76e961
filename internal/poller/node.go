package poller

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/bell"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/quiet"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// node is one watched node. All fields but the atomics, the channels, the journal and failed are set once, before run.
type node struct {
	name    string
	opener  Opener
	retries chan struct{}
	emit    func(cluster.Event)
	cancel  context.CancelFunc
	journal journal
	base    time.Duration   // the shortest interval that is ever wanted
	second  time.Duration   // Config.Second
	before  context.Context // done when an earlier watch of this name has ended; nil: there was none
	done    context.Context // done when this watch has ended

	interval  atomic.Int64 // wanted between two reports, in ns
	told      atomic.Int64 // the interval of the last events
	processes atomic.Bool  // the process list is wanted
	repace    bell.Bell    // interval or processes has changed
	retry     bell.Bell    // stop waiting

	session atomic.Pointer[Session] // the open session; nil: none
	asked   atomic.Int64            // extra reports requested and not yet admitted

	inJob  bool // the last session was in the cgroup of a job; only run's goroutine uses it
	failed bool // the last attempt opened no session, and no other door follows; only run's goroutine uses it
}

// Waits between two attempts. A fault that only a person can fix is retried rarely: sites that count failed logins must
// get no reason to lock the user out. The key r retries earlier, but never before least has passed.
var (
	ordinary  = waits{first: time.Second, most: 30 * time.Second, least: 2 * time.Second}
	forPerson = waits{first: 5 * time.Second, most: 5 * time.Minute, least: 5 * time.Second}
	// ofJob follows a session in the cgroup of a job (pam_slurm_adopt) that the node has ended, perhaps as the job
	// ends. A login within the next seconds would be put into that job again. SLURM then takes a minute to end it, and
	// may drain the node because of a "Kill task failed".
	ofJob = waits{first: 10 * time.Second, most: 30 * time.Second, least: 6 * time.Second}
)

type waits struct{ first, most, least time.Duration }

// steady is how long a session must have reported for the waits to begin anew. Shorter sessions are retried after
// longer and longer waits.
const steady = time.Minute

// waitsFor returns the waits after a failure. If several doors were tried, each of them is tried again.
func waitsFor(f *reach.Failure) waits {
	if needsPerson(f.Class) || slices.ContainsFunc(f.Doors, func(t reach.Tried) bool { return needsPerson(t.Class) }) {
		return forPerson
	}
	return ordinary
}

func needsPerson(c reach.Class) bool {
	switch c {
	case reach.ClassAuth, reach.ClassAdopt, reach.ClassDenied, reach.ClassHostKeyChanged, reach.ClassHostKeyUnknown,
		reach.ClassUnknownHost, reach.ClassNoSpace, reach.ClassNoExec, reach.ClassPlatform, reach.ClassLocal,
		reach.ClassTooMuch, reach.ClassLimit:
		return true
	}
	return false
}

func (w waits) backoff() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{InitialInterval: w.first, RandomizationFactor: 0.2, Multiplier: 2,
		MaxInterval: w.most}
}

// run watches the node until ctx ends.
func (n *node) run(ctx context.Context) {
	if n.before != nil {
		<-n.before.Done()
	}
	defer func() { _ = n.tell(cluster.Event{At: time.Now(), Node: n.name, Gone: true}) }()
	backoffs := map[waits]*backoff.ExponentialBackOff{}
	for ctx.Err() == nil {
		streamed, err := n.attempt(ctx)
		if ctx.Err() != nil {
			n.journal.left()
			return
		}
		if streamed >= steady {
			clear(backoffs)
		}
		failure := reach.AsFailure(err, reach.ClassOther)
		if failure.Next {
			n.failed = false // another door has not failed yet
			n.journal.ended(failure, streamed, 0)
			n.down(failure, 0)
			continue
		}
		w := waitsFor(failure)
		if n.inJob && w == ordinary && (failure.Class == reach.ClassClosed || failure.Class == reach.ClassProbeKilled) {
			w = ofJob
		}
		if backoffs[w] == nil {
			backoffs[w] = w.backoff()
		}
		delay := backoffs[w].NextBackOff()
		n.journal.ended(failure, streamed, delay)
		n.down(failure, delay)
		n.wait(ctx, delay, w.least)
	}
}

// down says that an attempt or a session has ended and when the next attempt begins.
func (n *node) down(failure *reach.Failure, delay time.Duration) {
	now := time.Now()
	down := cluster.Down{Failure: *failure, Retry: now.Add(delay)}
	if err := n.tell(cluster.Event{At: now, Node: n.name, Down: &down}); err != nil {
		down.Failure = *reach.AsFailure(err, reach.ClassLocal)
		_ = n.tell(cluster.Event{At: now, Node: n.name, Down: &down})
	}
}

// tell emits an event outside of an attempt, where nothing else catches a panic.
func (n *node) tell(e cluster.Event) (err error) {
	defer reach.Recover(&err)
	n.emit(e)
	return nil
}

// wait returns after delay, or earlier on request, but not before least has passed.
func (n *node) wait(ctx context.Context, delay, least time.Duration) {
	select {
	case <-n.retry: // requested while the session was open: meant for other nodes
	default:
	}
	full, floor := time.After(delay), time.After(least)
	for asked, may := false, false; !asked || !may; {
		select {
		case <-ctx.Done():
			return
		case <-full:
			return
		case <-floor:
			may = true
		case <-n.retry:
			asked = true
		}
	}
}

// turn waits for the node's turn to be dialed, and returns a function that ends the turn.
func (n *node) turn(ctx context.Context) (end func(), err error) {
	if !n.failed {
		return func() {}, nil
	}
	select {
	case n.retries <- struct{}{}:
		return sync.OnceFunc(func() { <-n.retries }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// attempt opens a session and reads from it until it ends. streamed is the time for which the session reported.
func (n *node) attempt(ctx context.Context) (streamed time.Duration, err error) {
	defer reach.Recover(&err)
	dialed, err := n.turn(ctx)
	if err != nil {
		return 0, err
	}
	defer dialed() // also on a panic
	n.failed, n.inJob = true, false
	route := n.opener.Route(ctx, n.name)
	route.Stages = append(slices.Clip(route.Stages), StageStream)
	interval := n.every()
	n.told.Store(int64(interval))
	n.emit(cluster.Event{At: time.Now(), Node: n.name, Try: &cluster.Try{Interval: interval, Route: route}})
	n.journal.begins(route.Door)
	session, err := n.opener.Open(ctx, n.name, n.step)
	dialed()
	if err != nil {
		return 0, err
	}
	n.failed = false
	n.journal.opened()
	n.session.Store(&session)
	defer n.session.Store(nil)
	var wg sync.WaitGroup
	var unpaced error
	watch := quiet.New()
	pacing, done := context.WithCancel(ctx)
	stop := func() {
		done()
		_ = session.Close()
		wg.Wait()
	}
	defer stop() // also on a panic
	defer context.AfterFunc(ctx, func() { _ = session.Close() })()
	wg.Go(func() {
		defer crash.End()
		if unpaced = n.keepPace(pacing, session, watch); unpaced != nil {
			_ = session.Close()
		}
	})
	began := time.Now()
	streamed, err = n.stream(session, watch)
	stop()
	if unpaced != nil {
		err = unpaced
	}
	if ctx.Err() == nil {
		why := reach.AsFailure(err, reach.ClassOther).Summary()
		n.step(reach.Step{Stage: StageStream, State: reach.StepFailed, Text: why, Took: time.Since(began)})
	}
	return streamed, err
}

func (n *node) step(s reach.Step) {
	n.emit(cluster.Event{At: time.Now(), Node: n.name, Step: &s})
}

func (n *node) stream(session Session, watch *quiet.Watch) (streamed time.Duration, err error) {
	began := time.Now()
	n.step(reach.Step{Stage: StageStream, State: reach.StepBegan, Text: "waiting for the first report"})
	var first time.Time
	last := began           // when the last report came
	var silent atomic.Int64 // length of the silence, if it closed the session
	in := n.newIntake(began)
	watch.Heard()
	watch.Start(silence(n.every()), func(quiet time.Duration) {
		silent.Store(int64(quiet))
		_ = session.Close()
	})
	defer watch.Stop()
	for {
		msg, err := session.Next()
		now := time.Now()
		if !first.IsZero() {
			streamed = last.Sub(first)
		}
		if err != nil {
			// A failure of the session itself says more than the silence.
			quiet := time.Duration(silent.Load())
			if _, known := errors.AsType[*reach.Failure](err); !known && quiet > 0 {
				err = errSilent(quiet)
			}
			return streamed, err
		}
		if err := in.admit(&msg, n.asked.Swap(0), now); err != nil {
			return streamed, err
		}
		switch {
		case msg.Hello != nil:
			n.inJob = msg.Hello.Adopted()
			n.emit(cluster.Event{At: now, Node: n.name, Hello: msg.Hello})
		case msg.Report != nil:
			last = now
			watch.Heard()
			if first.IsZero() {
				first = now
				n.step(reach.Step{Stage: StageStream, State: reach.StepDone, Text: "receiving reports",
					Took: now.Sub(began)})
			}
			n.tellPace(n.every())
			n.emit(cluster.Event{At: now, Node: n.name, Report: msg.Report})
		}
	}
}
