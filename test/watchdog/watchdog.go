// Package watchdog ends a test binary in which a test hangs, and prints its goroutines. The -timeout of go test is for
// all tests of a package together: in a package that takes half an hour, a hanging test would fail only after that
// time.
//
// The methods of a Dog may be called from any goroutine.
package watchdog

import (
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"sync"
	"testing"
	"time"
)

// Dog barks if no test has begun or ended for a while.
type Dog struct {
	limit time.Duration
	timer *time.Timer

	mu      sync.Mutex // protects the following
	last    string
	watched map[string]bool // tests, by name
}

// New returns a Dog that calls bark, on its own goroutine, if nothing has begun or ended for limit. last is the last
// thing that did. The Dog sleeps until the first Step or Watch.
func New(limit time.Duration, bark func(last string)) *Dog {
	d := &Dog{limit: limit, watched: map[string]bool{}}
	d.timer = time.AfterFunc(limit, func() {
		d.mu.Lock()
		last := d.last
		d.mu.Unlock()
		bark(last)
	})
	d.timer.Stop()
	return d
}

// Step notes that something began or ended: the limit starts again.
func (d *Dog) Step(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = what
	d.timer.Reset(d.limit)
}

// Watch starts the limit at the beginning of t, and again at its end, so that a test may take as long as its subtests.
// A test calls it first, so that its end includes its cleanups. Further calls by the same test have no effect.
func (d *Dog) Watch(t testing.TB) {
	t.Helper()
	name := t.Name()
	d.mu.Lock()
	again := d.watched[name]
	d.watched[name] = true
	d.mu.Unlock()
	if again {
		return
	}
	d.Step(name + " began")
	t.Cleanup(func() {
		d.mu.Lock()
		delete(d.watched, name)
		d.mu.Unlock()
		d.Step(name + " ended")
	})
}

// Stop stops the Dog.
func (d *Dog) Stop() { d.timer.Stop() }

// Die prints all goroutines, calls before to clean up, and exits.
func Die(w io.Writer, limit time.Duration, last string, before func()) {
	fmt.Fprintf(w, "\nwatchdog: a test hangs: no test began or ended for %v; the last was: %s\n\n", limit, last)
	_ = pprof.Lookup("goroutine").WriteTo(w, 2)
	before()
	os.Exit(2)
}
