package bell

import (
	"sync"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
)

// An Errand runs a function each time it is rung, on a goroutine that ends with it: a goroutine that waits for a Bell
// would keep 4 KiB. The function never runs twice at the same time; rings meanwhile make it run once more.
type Errand struct {
	do func()

	mu      sync.Mutex // protects the following
	running bool
	again   bool
	ended   bool
	done    sync.WaitGroup
}

// NewErrand returns an Errand that has not been rung.
func NewErrand(do func()) *Errand { return &Errand{do: do} }

// Ring runs the function, unless End was called.
func (e *Errand) Ring() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended || e.running {
		e.again = !e.ended
		return
	}
	e.running = true
	e.done.Add(1)
	crash.Go(e.runAll)
}

func (e *Errand) runAll() {
	defer e.done.Done()
	for more := true; more; {
		e.do()
		more = e.isRungAgain()
	}
}

// isRungAgain reports whether the function has to run once more.
func (e *Errand) isRungAgain() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running, e.again = e.again && !e.ended, false
	return e.running
}

// End returns when the function no longer runs, and never will again.
func (e *Errand) End() {
	e.mu.Lock()
	e.ended = true
	e.mu.Unlock()
	e.done.Wait()
}
