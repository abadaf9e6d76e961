// Package quiet calls a function when something has been silent for too long.
//
// A Watch may be used by any number of goroutines. Hearing something costs one atomic store: the timer runs out once per limit, and then
// looks how long it has really been. A process that was stopped, or had no CPU, finds its timers late and its sockets full; so a late timer
// gives what is waiting there a moment to be read before it calls anything silent. Clock changes do not count.
package quiet

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// late is how much later than its time a timer of a running process fires at most.
	late = time.Second

	// grace is the time to read what came while the process was stopped.
	grace = 2 * time.Second
)

// Watch measures a silence. Start it once.
type Watch struct {
	base  time.Time
	heard atomic.Int64 // when, after base
	limit time.Duration
	over  func(quiet time.Duration)

	mu       sync.Mutex // protects the following
	timer    *time.Timer
	stopped  bool
	forgiven bool // this silence had its grace
}

// New makes a Watch that hears something now.
func New() *Watch { return &Watch{base: time.Now()} }

// Heard says that something came.
func (w *Watch) Heard() { w.heard.Store(int64(time.Since(w.base))) }

// Quiet returns the time since something came.
func (w *Watch) Quiet() time.Duration { return time.Since(w.base) - time.Duration(w.heard.Load()) }

// Start has over called, in a goroutine of its own and once, when nothing has come for limit.
func (w *Watch) Start(limit time.Duration, over func(quiet time.Duration)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limit, w.over = limit, over
	w.timer = time.AfterFunc(limit-w.Quiet(), w.look)
}

// Stop ends the watch. A call of over that has begun goes on.
func (w *Watch) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

// look runs when the timer fires.
func (w *Watch) look() {
	quiet := w.Quiet()
	w.mu.Lock()
	wait := w.wait(quiet)
	call := wait == 0 && !w.stopped
	if wait > 0 && !w.stopped {
		w.timer.Reset(wait)
	}
	w.mu.Unlock()
	if call {
		w.over(quiet)
	}
}

// wait returns the time until the next look, 0 when the silence has been too long. w.mu is held.
func (w *Watch) wait(quiet time.Duration) time.Duration {
	excess := quiet - w.limit
	switch {
	case excess < 0:
		w.forgiven = false
		return -excess
	case excess > late && !w.forgiven:
		w.forgiven = true
		return grace
	}
	return 0
}
