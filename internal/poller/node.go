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
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// watchedNode is one watched node. All fields but the atomics, the channels, the journal and failed are set once,
// before watchNode.
type watchedNode struct {
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
	retry     bell.Bell    // stop waiting

	session atomic.Pointer[Session]     // open; nil: none
	repace  atomic.Pointer[bell.Errand] // of the session: interval or processes has changed
	asked   atomic.Int64                // extra reports requested and not yet admitted

	inJob  bool // the last session was in the cgroup of a job; only watchNode's goroutine uses it
	failed bool // the last attempt opened no session, and no other door follows; only watchNode's goroutine uses it
}

// Waits between two attempts. A fault that only a person can fix is retried rarely: sites that count failed logins must
// get no reason to lock the user out. The key r retries earlier, but never before least has passed.
var (
	ordinary  = retryWaits{first: time.Second, most: 30 * time.Second, least: 2 * time.Second}
	forPerson = retryWaits{first: 5 * time.Second, most: 5 * time.Minute, least: 5 * time.Second}
	// ofJob are the waits after a session in the cgroup of a job (pam_slurm_adopt) that the node has ended, perhaps
	// because the job ends. A login within the next seconds would be put into that job again. SLURM then takes a minute
	// to end the job, and may drain the node because of a "Kill task failed".
	ofJob = retryWaits{first: 10 * time.Second, most: 30 * time.Second, least: 6 * time.Second}
)

type retryWaits struct{ first, most, least time.Duration }

// steady is how long a session must have reported for the waits to start over. After shorter sessions the waits grow
// longer and longer.
const steady = time.Minute

// waitsFor returns the waits after a failure. If several doors were tried, each of them is tried again.
func waitsFor(f *reach.Failure) retryWaits {
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

func (w retryWaits) newBackoff() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{InitialInterval: w.first, RandomizationFactor: 0.2, Multiplier: 2,
		MaxInterval: w.most}
}

// watchNode watches the node until ctx ends.
func (n *watchedNode) watchNode(ctx context.Context) {
	if n.before != nil {
		<-n.before.Done()
	}
	defer func() { _ = n.tellEvent(cluster.Event{At: time.Now(), Node: n.name, Gone: true}) }()
	backoffs := map[retryWaits]*backoff.ExponentialBackOff{}
	for ctx.Err() == nil {
		streamed, err := n.runAttempt(ctx)
		if ctx.Err() != nil {
			n.journal.logUnwatched()
			return
		}
		if streamed >= steady {
			clear(backoffs)
		}
		n.awaitNext(ctx, reach.AsFailure(err, reach.ClassOther), streamed, backoffs)
	}
}

// awaitNext says why an attempt has ended, and waits for the next one.
func (n *watchedNode) awaitNext(ctx context.Context, failure *reach.Failure, streamed time.Duration,
	backoffs map[retryWaits]*backoff.ExponentialBackOff) {
	if failure.Next {
		n.failed = false // another door has not failed yet
		n.journal.logEnd(failure, streamed, 0)
		n.tellDown(failure, 0)
		return
	}
	w := waitsFor(failure)
	if n.inJob && w == ordinary && (failure.Class == reach.ClassClosed || failure.Class == reach.ClassProbeKilled) {
		w = ofJob
	}
	if backoffs[w] == nil {
		backoffs[w] = w.newBackoff()
	}
	delay := backoffs[w].NextBackOff()
	n.journal.logEnd(failure, streamed, delay)
	n.tellDown(failure, delay)
	n.awaitRetry(ctx, delay, w.least)
}

// tellDown says that an attempt or a session has ended and when the next attempt begins.
func (n *watchedNode) tellDown(failure *reach.Failure, delay time.Duration) {
	now := time.Now()
	down := cluster.Down{Failure: *failure, Retry: now.Add(delay)}
	if err := n.tellEvent(cluster.Event{At: now, Node: n.name, Down: &down}); err != nil {
		down.Failure = *reach.AsFailure(err, reach.ClassLocal)
		_ = n.tellEvent(cluster.Event{At: now, Node: n.name, Down: &down})
	}
}

// tellEvent emits an event outside of an attempt, where nothing else catches a panic.
func (n *watchedNode) tellEvent(e cluster.Event) (err error) {
	defer reach.Recover(&err)
	n.emit(e)
	return nil
}

// awaitRetry returns after delay, or earlier on request, but not before least has passed.
func (n *watchedNode) awaitRetry(ctx context.Context, delay, least time.Duration) {
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

// awaitTurn waits for the node's turn to be dialed, and returns a function that ends the turn.
func (n *watchedNode) awaitTurn(ctx context.Context) (end func(), err error) {
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

// runAttempt opens a session and reads from it until it ends. streamed is the time for which the session reported.
func (n *watchedNode) runAttempt(ctx context.Context) (streamed time.Duration, err error) {
	defer reach.Recover(&err)
	var session Session
	crash.RunAside(func() { session, err = n.openSession(ctx) }) // a handshake needs a deep stack
	if err != nil {
		return 0, err
	}
	return n.useSession(ctx, session)
}

func (n *watchedNode) openSession(ctx context.Context) (_ Session, err error) {
	defer reach.Recover(&err)
	dialed, err := n.awaitTurn(ctx)
	if err != nil {
		return nil, err
	}
	defer dialed() // also on a panic
	n.failed, n.inJob = true, false
	route := n.opener.Route(ctx, n.name)
	route.Stages = append(slices.Clip(route.Stages), StageStream)
	interval := n.reportInterval()
	n.told.Store(int64(interval))
	n.emit(cluster.Event{At: time.Now(), Node: n.name, Try: &cluster.Try{Interval: interval, Route: route}})
	n.journal.logAttempt(route.Door)
	return n.opener.Open(ctx, n.name, n.tellStep)
}

// useSession reads from a session until it ends, and sends it the pace meanwhile.
func (n *watchedNode) useSession(ctx context.Context, session Session) (streamed time.Duration, err error) {
	n.failed = false
	n.journal.logSession()
	n.session.Store(&session)
	defer n.session.Store(nil)
	var unpaced error
	watch := bell.NewWatchdog()
	pacing, done := context.WithCancel(ctx)
	repace := bell.NewErrand(func() {
		if err := n.updatePace(pacing, session, watch); err != nil {
			unpaced = err
			_ = session.Close()
		}
	})
	stop := func() {
		done()
		_ = session.Close()
		repace.End()
	}
	defer stop() // also on a panic
	defer context.AfterFunc(ctx, func() { _ = session.Close() })()
	n.repace.Store(repace)
	defer n.repace.Store(nil)
	repace.Ring()
	began := time.Now()
	streamed, err = n.readReports(session, watch)
	stop()
	if unpaced != nil {
		err = unpaced
	}
	if ctx.Err() == nil {
		why := reach.AsFailure(err, reach.ClassOther).Summary()
		n.tellStep(reach.Step{Stage: StageStream, State: reach.StepFailed, Text: why, Took: time.Since(began)})
	}
	return streamed, err
}

func (n *watchedNode) tellStep(s reach.Step) {
	n.emit(cluster.Event{At: time.Now(), Node: n.name, Step: &s})
}

// A stream is what came over a session so far.
type stream struct {
	began, first, last time.Time // first is zero before the first report, and last is began
	limits             *messageLimits
}

func (n *watchedNode) readReports(session Session, watch *bell.Watchdog) (streamed time.Duration, err error) {
	n.tellStep(reach.Step{Stage: StageStream, State: reach.StepBegan, Text: "waiting for the first report"})
	now := time.Now()
	s := &stream{began: now, last: now, limits: n.newIntake(now)}
	var silent atomic.Int64 // how long the silence lasted, if silence closed the session
	watch.Heard()
	watch.Start(silenceLimit(n.reportInterval()), func(quiet time.Duration) {
		silent.Store(int64(quiet))
		_ = session.Close()
	})
	defer watch.Stop()
	for err == nil {
		var msg wire.Message
		if msg, err = session.Next(); err == nil {
			err = n.takeMessage(&msg, s, watch)
		} else if quiet := time.Duration(silent.Load()); quiet > 0 {
			// A failure of the session itself says more than the silence.
			if _, known := errors.AsType[*reach.Failure](err); !known {
				err = errSilent(quiet)
			}
		}
	}
	if !s.first.IsZero() {
		streamed = s.last.Sub(s.first)
	}
	return streamed, err
}

// takeMessage emits a message, if it may come at this time.
func (n *watchedNode) takeMessage(msg *wire.Message, s *stream, watch *bell.Watchdog) error {
	now := time.Now()
	if err := s.limits.admitMessage(msg, n.asked.Swap(0), now); err != nil {
		return err
	}
	switch {
	case msg.Hello != nil:
		n.inJob = msg.Hello.Adopted()
		n.emit(cluster.Event{At: now, Node: n.name, Hello: msg.Hello})
	case msg.Report != nil:
		s.last = now
		watch.Heard()
		if s.first.IsZero() {
			s.first = now
			n.tellStep(reach.Step{Stage: StageStream, State: reach.StepDone, Text: "receiving reports",
				Took: now.Sub(s.began)})
		}
		n.tellPace(n.reportInterval())
		n.emit(cluster.Event{At: now, Node: n.name, Report: msg.Report})
	}
	return nil
}
