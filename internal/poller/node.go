package poller

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// node is one watched node. Its fields but the atomics and channels are set once, before run.
type node struct {
	name     string
	opener   Opener
	interval time.Duration
	dials    chan struct{}
	emit     func(cluster.Event)
	cancel   context.CancelFunc
	before   <-chan struct{} // closed when an earlier watch of the same name has ended; nil: there was none
	done     chan struct{}   // closed when this one has

	processes atomic.Bool // the process list is wanted
	repace    bell.Bell   // processes has changed
	retry     bell.Bell   // do not wait any longer
}

// Waits between two attempts. A fault that only a person can mend is tried seldom: a site that counts failed logins shall not be
// given a reason to lock somebody out. The key r tries soon, but never sooner than least after the last attempt.
var (
	ordinary  = waits{first: time.Second, most: 30 * time.Second, least: 2 * time.Second}
	forPerson = waits{first: 5 * time.Second, most: 5 * time.Minute, least: 5 * time.Second}
)

type waits struct{ first, most, least time.Duration }

// steady is how long a session must have streamed for its end to be an accident: the waits then begin anew. One that ends sooner, again
// and again, is waited for longer and longer.
const steady = time.Minute

func waitsFor(c reach.Class) waits {
	switch c {
	case reach.ClassAuth, reach.ClassAdopt, reach.ClassDenied, reach.ClassHostKeyChanged, reach.ClassHostKeyUnknown,
		reach.ClassUnknownHost, reach.ClassNoSpace, reach.ClassNoExec, reach.ClassPlatform, reach.ClassLocal:
		return forPerson
	}
	return ordinary
}

func (w waits) backoff() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{InitialInterval: w.first, RandomizationFactor: 0.2, Multiplier: 2, MaxInterval: w.most}
}

// run leads the node through its life until ctx ends.
func (n *node) run(ctx context.Context) {
	defer close(n.done)
	if n.before != nil {
		<-n.before
	}
	defer func() { n.emit(cluster.Event{At: time.Now(), Node: n.name, Gone: true}) }()
	backoffs := map[waits]*backoff.ExponentialBackOff{}
	for {
		streamed, err := n.attempt(ctx)
		if ctx.Err() != nil {
			return
		}
		if streamed >= steady {
			clear(backoffs)
		}
		failure := asFailure(err)
		w := waitsFor(failure.Class)
		if backoffs[w] == nil {
			backoffs[w] = w.backoff()
		}
		delay := backoffs[w].NextBackOff()
		now := time.Now()
		n.emit(cluster.Event{At: now, Node: n.name, Down: &cluster.Down{Failure: failure, Retry: now.Add(delay)}})
		n.wait(ctx, delay, w.least)
	}
}

// wait returns after delay, or when a person asks for it, but then not before least has passed.
func (n *node) wait(ctx context.Context, delay, least time.Duration) {
	select {
	case <-n.retry: // asked for while the session stood: meant for other nodes
	default:
	}
	full, floor := time.NewTimer(delay), time.NewTimer(least)
	defer full.Stop()
	defer floor.Stop()
	for asked, may := false, false; !asked || !may; {
		select {
		case <-ctx.Done():
			return
		case <-full.C:
			return
		case <-floor.C:
			may = true
		case <-n.retry:
			asked = true
		}
	}
}

// asFailure is err as a Failure. An error that is none is one that this program did not foresee: it is shown as it is.
func asFailure(err error) reach.Failure {
	if f, ok := errors.AsType[*reach.Failure](err); ok {
		return *f
	}
	return reach.Failure{Class: reach.ClassOther, Summary: err.Error()}
}

// attempt opens a session and streams from it until it ends. streamed is how long reports came. A mistake of ours that
// panics costs this node's session, not the screen and the other nodes: it is shown as the failure that it is.
func (n *node) attempt(ctx context.Context) (streamed time.Duration, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &reach.Failure{Class: reach.ClassLocal, Summary: "a mistake in nvnodetop", Words: fmt.Sprintf("%v\n%s", p, debug.Stack())}
		}
	}()
	select {
	case n.dials <- struct{}{}:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	n.emit(cluster.Event{At: time.Now(), Node: n.name, Try: &cluster.Try{Interval: n.interval}})
	session, err := n.open(ctx)
	if err != nil {
		return 0, err
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	pacing, done := context.WithCancel(ctx)
	defer done()
	defer func() { _ = session.Close() }() // before the wait: a Send that blocks returns when the session is closed
	defer context.AfterFunc(ctx, func() { _ = session.Close() })()
	wg.Go(func() { n.keepPace(pacing, session) })
	return n.stream(session)
}

// silence is how long a probe may send no report although its connection stands: a call into the driver that hangs. A new probe is tried
// then; what the old one hangs in may have been mended.
func (n *node) silence() time.Duration { return max(10*n.interval, 30*time.Second) }

// errSilent is what a session that was closed for its silence ended of.
func (n *node) errSilent(quiet time.Duration) *reach.Failure {
	return &reach.Failure{
		Class: reach.ClassSilent, Summary: fmt.Sprintf("no report for %v", quiet.Round(time.Second)),
		Meaning: "The ssh connection stands, but the probe sends nothing: a call into the driver hangs, or the node is starved.",
		Hints:   []string{"Try nvidia-smi on the node: if it hangs too, tell the site."},
	}
}

func (n *node) open(ctx context.Context) (Session, error) {
	defer func() { <-n.dials }()
	return n.opener.Open(ctx, n.name, n.step)
}

func (n *node) step(s reach.Step) {
	n.emit(cluster.Event{At: time.Now(), Node: n.name, Step: &s})
}

// keepPace tells the probe what is wanted, now and whenever it changes. Sending may block for as long as the connection does, which is
// why it has a goroutine of its own; a failure to send is seen by stream, on the same connection.
func (n *node) keepPace(ctx context.Context, session Session) {
	for id := uint64(1); ; id++ {
		pace := wire.Pace{IntervalMS: int(n.interval.Milliseconds()), Processes: n.processes.Load()}
		if session.Send(wire.Request{ID: id, Pace: &pace}) != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-n.repace:
		}
	}
}

func (n *node) stream(session Session) (streamed time.Duration, err error) {
	began := time.Now()
	n.step(reach.Step{Stage: reach.StageStream, State: reach.StepBegan, Text: "waiting for the first report"})
	var first time.Time
	last := began // when a report came
	watchdog := time.AfterFunc(n.silence(), func() { _ = session.Close() })
	defer watchdog.Stop()
	for {
		msg, err := session.Next()
		now := time.Now()
		if !first.IsZero() {
			streamed = last.Sub(first)
		}
		if quiet := now.Sub(last); err != nil && quiet >= n.silence() {
			return streamed, n.errSilent(quiet)
		}
		if err != nil {
			return streamed, err
		}
		switch {
		case msg.Hello != nil:
			n.emit(cluster.Event{At: now, Node: n.name, Hello: msg.Hello})
		case msg.Report != nil:
			last = now
			watchdog.Reset(n.silence())
			if first.IsZero() {
				first = now
				n.step(reach.Step{Stage: reach.StageStream, State: reach.StepDone, Text: "reports come", Took: now.Sub(began)})
			}
			n.emit(cluster.Event{At: now, Node: n.name, Report: msg.Report})
		case msg.Reply != nil && msg.Reply.Error != "":
			return streamed, &reach.Failure{
				Class: reach.ClassGarbage, Summary: "the probe refused a request", Words: msg.Reply.Error,
				Meaning: "Both ends of nvnodetop do not understand each other.", Hints: []string{"use the same version on all machines that share your home"},
			}
		}
	}
}
