package bell

import (
	"sync"
	"sync/atomic"
	"time"
)

// A Watchdog may be used by any number of goroutines. Hearing something costs one atomic store: the timer expires about
// once per limit, and then checks how long the silence has really lasted. A process that was stopped, or had no CPU,
// finds its sockets full when it continues. So it takes two checks in a row, a moment apart, to establish silence; in
// between, waiting data can be read. Clock changes have no effect.

const (
	// lateTick is the longest delay of a timer of a running process.
	lateTick = time.Second

	// longGrace is the time to read data that arrived while the process was stopped. A short limit allows less.
	longGrace = 2 * time.Second
)

// Watchdog measures a silence. Start it once.
type Watchdog struct {
	base  time.Time
	heard atomic.Int64 // time of the last data, after base
	limit time.Duration
	over  func(quiet time.Duration)

	mu      sync.Mutex // protects the following
	timer   *time.Timer
	due     time.Duration // time of the timer, after base
	stopped bool
	looked  bool // this silence was checked once
}

// NewWatchdog returns a Watch that has just heard something.
func NewWatchdog() *Watchdog { return &Watchdog{base: time.Now()} }

// Heard notes that something arrived.
func (w *Watchdog) Heard() { w.heard.Store(int64(time.Since(w.base))) }

// Quiet returns the time since something arrived.
func (w *Watchdog) Quiet() time.Duration { return time.Since(w.base) - time.Duration(w.heard.Load()) }

// Start makes the Watch call over once, on a goroutine of its own, when nothing has arrived for limit.
func (w *Watchdog) Start(limit time.Duration, over func(quiet time.Duration)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limit, w.over = limit, over
	wait := w.timeToCheck(w.Quiet(), 0)
	w.due = time.Since(w.base) + wait
	w.timer = time.AfterFunc(wait, w.checkSilence)
}

// Limit changes the limit, from now on.
func (w *Watchdog) Limit(limit time.Duration) {
	w.Heard()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limit, w.looked = limit, false
	if w.timer == nil || w.stopped {
		return
	}
	wait := w.timeToCheck(0, 0)
	w.due = time.Since(w.base) + wait
	w.timer.Reset(wait)
}

// Stop ends the watch. A running call of over continues.
func (w *Watchdog) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

// checkSilence runs when the timer fires.
func (w *Watchdog) checkSilence() {
	quiet, now := w.Quiet(), time.Since(w.base)
	w.mu.Lock()
	wait := w.timeToCheck(quiet, now-w.due)
	call := wait == 0 && !w.stopped
	if wait > 0 && !w.stopped {
		w.due = now + wait
		w.timer.Reset(wait)
	}
	w.mu.Unlock()
	if call {
		w.over(quiet)
	}
}

// timeToCheck returns the time until the next check, 0 if the silence has been too long. The first check of a silence
// comes grace before the limit. The second must be on time: if the timer was late, the process was stopped in between.
// w.mu is held.
func (w *Watchdog) timeToCheck(quiet, tardy time.Duration) time.Duration {
	left, grace := w.limit-quiet, min(longGrace, w.limit/4)
	switch {
	case left > grace:
		w.looked = false
		return left - grace
	case w.looked && left <= 0 && tardy <= lateTick:
		return 0
	}
	w.looked = true
	return max(left, grace)
}
