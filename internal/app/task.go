package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/reach"
)

// task is work in a goroutine.
type task struct {
	ctx context.Context // done when the work is
	err error           // valid then
}

func start(work func() error) *task {
	ctx, done := context.WithCancel(context.Background())
	t := &task{ctx: ctx}
	go func() {
		defer done()
		t.err = work()
	}()
	return t
}

// wait waits until the work is done, at most for limit, and reports whether it is. Being canceled is not an error.
func (t *task) wait(limit time.Duration) (done bool, err error) {
	select {
	case <-t.ctx.Done():
	case <-time.After(limit):
	}
	switch {
	case t.ctx.Err() == nil:
		return false, nil
	case t.err == nil, errors.Is(t.err, context.Canceled):
		return true, nil
	}
	return true, &exitError{exitFailed, t.err}
}

// feedStore runs a source, with memory for its nodes. A panic there becomes an error, so that the terminal is restored
// before the program ends.
func feedStore(ctx context.Context, from cluster.Source, emit func(cluster.Event)) error {
	err := func() (err error) {
		defer reach.Recover(&err)
		var memory budget
		return from.Run(ctx, func(e cluster.Event) {
			memory.note(e)
			emit(e)
		})
	}()
	if mistake, ok := errors.AsType[*reach.Failure](err); ok {
		return fmt.Errorf("%w: %s", mistake, mistake.Words)
	}
	return err
}

// failure waits for the work and returns why it failed, as wait does.
func (t *task) failure() error {
	<-t.ctx.Done()
	_, err := t.wait(0)
	return err
}
