package source

import (
	"context"
	"errors"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
)

// Task is work in a goroutine.
type Task struct {
	done chan struct{} // closed when the work has ended
	err  error         // valid after that
}

// StartTask begins the work.
func StartTask(work func() error) *Task {
	t := &Task{done: make(chan struct{})}
	go func() {
		defer close(t.done)
		defer crash.End()
		t.err = work()
	}()
	return t
}

// Done is closed when the work has ended.
func (t *Task) Done() <-chan struct{} { return t.done }

// Wait waits for the end of the work, at most for limit, and reports whether the work has ended. Cancellation is no
// error.
func (t *Task) Wait(limit time.Duration) (ended bool, err error) {
	select {
	case <-t.done:
		return true, t.Err()
	default:
	}
	select {
	case <-t.done:
		return true, t.Err()
	case <-time.After(limit):
		return false, nil
	}
}

// Err returns the error of the work; nil: it has succeeded, or is running.
func (t *Task) Err() error {
	select {
	case <-t.done:
		if !errors.Is(t.err, context.Canceled) {
			return t.err
		}
	default:
	}
	return nil
}
