package host

import (
	"fmt"
	"time"
)

// patience is how long a report waits for a reading that it has begun. A late one is used in a later report.
const patience = 100 * time.Millisecond

// aside calls a function that may never return, on a goroutine of its own, one call at a time. While a call hangs there is no other one.
type aside[T any] struct {
	what    string // for the error
	running bool
	began   time.Duration // of the running call, CLOCK_MONOTONIC
	done    chan T
}

func newAside[T any](what string) aside[T] { return aside[T]{what: what, done: make(chan T, 1)} }

// start starts a call. None may be running.
func (a *aside[T]) start(at time.Duration, call func() T) {
	a.running, a.began = true, at
	go func() { a.done <- call() }()
}

// take returns the result of the running call, if it is there. It waits only for a call that has begun at that time.
func (a *aside[T]) take(at time.Duration) (result T, ok bool) {
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
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case result = <-a.done:
		a.running = false
		return result, true
	case <-late.C:
		return result, false
	}
}

// hangsAfter is when a call that has not returned is an error.
const hangsAfter = 5 * time.Second

// err is the error if the running call hangs.
func (a *aside[T]) err(at time.Duration) error {
	if !a.running || at-a.began < hangsAfter {
		return nil
	}
	return fmt.Errorf("reading %s hangs", a.what)
}
