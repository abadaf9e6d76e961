// Package watchdog ends a test binary in which one test hangs, and says where all its goroutines are. go test's own -timeout counts for
// all tests of a package together: a package that takes half an hour when all is well would need as long to fail.
//
// A Dog's methods may be called from any goroutine.
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

// Dog barks when nothing began or ended for a while.
type Dog struct {
	limit time.Duration
	timer *time.Timer

	mu      sync.Mutex // protects the following
	last    string
	watched map[string]bool // tests, by name
}

// New returns a Dog that calls bark, on a goroutine of its own, when nothing began or ended for limit. last says what did last. It sleeps
// until the first Step or Watch.
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

// Step says that something began or ended: the limit counts from now.
func (d *Dog) Step(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = what
	d.timer.Reset(d.limit)
}

// Watch counts the limit from the beginning of t, and again from its end: tests with subtests may take as long as these do. A test calls it
// first, so that its end is that of its clean-ups; more calls of the same test change nothing.
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

// Stop sends the Dog home.
func (d *Dog) Stop() { d.timer.Stop() }

// Die writes where all goroutines are and ends the program. before runs in between: what must not stay behind.
func Die(w io.Writer, limit time.Duration, last string, before func()) {
	fmt.Fprintf(w, "\nwatchdog: a test hangs: no test began or ended for %v; the last was: %s\n\n", limit, last)
	_ = pprof.Lookup("goroutine").WriteTo(w, 2)
	before()
	os.Exit(2)
}
