package host

import (
	"fmt"
	"time"
)

// patience is how long a report waits for a reading that it has begun. A late reading is used in a later report.
const patience = 100 * time.Millisecond

// asyncCall runs a function that may never return, on a goroutine of its own, one call at a time. A call that hangs
// delays the next one. A call allocates nothing.
type asyncCall[Q, T any] struct {
	what     string // name for the error
	running  bool
	began    time.Duration // start of the running call, CLOCK_MONOTONIC
	question Q             // belongs to the running call
	run      func()        // answers the question
	done     chan T
	late     *time.Timer // runs only during a wait; nil before the first wait
}

func newAside[Q, T any](what string, answer func(Q) T) *asyncCall[Q, T] {
	a := &asyncCall[Q, T]{what: what, done: make(chan T, 1)}
	a.run = func() { a.done <- answer(a.question) }
	return a
}

// startCall begins a call on a goroutine of its own. None may be running.
func (a *asyncCall[Q, T]) startCall(at time.Duration, question Q) {
	a.running, a.began, a.question = true, at, question
	go a.run()
}

// take returns the result of the running call, if it has ended. It waits only for a call that began at the time at.
func (a *asyncCall[Q, T]) take(at time.Duration) (result T, ok bool) {
	if !a.running {
		return result, false
	}
	select {
	case result = <-a.done:
		a.running = false
		return result, true
	default:
	}
	if a.began != at {
		return result, false
	}
	if a.late == nil {
		a.late = time.NewTimer(patience)
	} else {
		a.late.Reset(patience)
	}
	defer a.late.Stop()
	select {
	case result = <-a.done:
		a.running = false
		return result, true
	case <-a.late.C:
		return result, false
	}
}

// hangsAfter is how long a call may run before it counts as an error.
const hangsAfter = 5 * time.Second

// hangError returns an error if the running call hangs.
func (a *asyncCall[Q, T]) hangError(at time.Duration) error {
	if !a.running || at-a.began < hangsAfter {
		return nil
	}
	return fmt.Errorf("reading %s hangs", a.what)
}
