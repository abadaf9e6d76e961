package screen

import (
	"runtime"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/source"
)

// The number of threads that run Go code at once (runtime.GOMAXPROCS).
const (
	usual      = 1 // package app says why
	typing     = 2
	collecting = 4 // the runtime gives a quarter of them to the collection alone
)

// typed is how long after a key the next one is expected.
const typed = 3 * time.Second

// threads sets the number of threads of a program with a large heap, which receives reports all the time.
//
// Bubble Tea waits for keys in a system call. A thread in a system call keeps its turn until the monitor thread of the
// runtime takes it away. With a thousand nodes, the monitor looks only every 10 ms, so a key that has been read waits
// for the monitor, and so does its frame. A second thread responds at once. But with it each report costs a fifth more,
// so it exists only while keys are pressed.
type threads struct {
	mu       sync.Mutex
	key      time.Time // the last one; zero: a while ago
	collects bool      // garbage is being collected
}

// noteKey notes a key.
func (t *threads) noteKey(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.key = now
	t.setThreads()
}

// restThread stops the second thread if no key was pressed for a while.
func (t *threads) restThread(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.key) >= typed {
		t.key = time.Time{}
		t.setThreads()
	}
}

// noteCollection notes that a garbage collection begins or has ended.
func (t *threads) noteCollection(begins bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.collects = begins
	t.setThreads()
}

// setThreads sets the number of threads only if it changes, since that stops the program for a moment.
func (t *threads) setThreads() {
	n := usual
	switch {
	case t.collects:
		n = collecting
	case !t.key.IsZero():
		n = typing
	}
	if runtime.GOMAXPROCS(0) != n {
		runtime.GOMAXPROCS(n)
	}
}

// keyControls tells a collector about key presses.
type keyControls struct {
	source.Controls
	collector *collector
}

// Touch implements source.Controls.
func (t *keyControls) Touch() {
	t.collector.noteKey(time.Now())
	t.Controls.Touch()
}
