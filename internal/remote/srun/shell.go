package srun

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// shell is a node with a job. It implements remote.Shell.
type shell struct {
	d    *Door
	node string
	log  *remote.Log
	crew *jobSteps
}

// Run implements install.Shell. The pipe may already hold the first output of the probe.
func (s *shell) Run(ctx context.Context, script string, in io.Reader) (*link.Pipe, error) {
	w := &taskRequest{ctx: ctx, node: s.node, crew: s.crew, script: script, answer: make(chan taskAnswer, 1)}
	if in != nil {
		w.input = &input{from: in}
	}
	waiting := time.AfterFunc(s.d.limits.waiting,
		func() { s.log.Begin(remote.StageProbe, "waiting for SLURM to start the step") })
	defer waiting.Stop()
	s.d.addWish(w)
	a := taskAnswer{err: &stepError{late: true}}
	select {
	case a = <-w.answer:
	case <-ctx.Done():
		select {
		case a = <-w.answer: // with srun's messages
		case <-time.After(s.d.limits.words):
			crash.Go(w.declineTask)
		}
	}
	switch {
	case a.err != nil:
		return nil, a.err
	case ctx.Err() != nil:
		a.task.leaveTask()
		return nil, &stepError{late: true}
	}
	return a.task.asPipe(), nil
}

// input is the input of a script. It is kept, since another step may need it again.
type input struct {
	from io.Reader
	kept bytes.Buffer
}

// fromBeginning returns the input from its beginning. The previous reader must not be in use.
func (i *input) fromBeginning() io.Reader {
	return io.MultiReader(bytes.NewReader(bytes.Clone(i.kept.Bytes())), io.TeeReader(i.from, &i.kept))
}

// declineTask leaves a task that comes too late for its wish.
func (w *taskRequest) declineTask() {
	if a := <-w.answer; a.task != nil {
		a.task.leaveTask()
	}
}

var errNoPing = errors.New("srun cannot ask a node whether it is alive")

// Ping implements link.Way. That srun is alive proves nothing about the node.
func (s *shell) Ping(context.Context) error { return errNoPing }

// Close implements link.Way. There is no connection: the end of the pipe ends the task, and the end of the last task
// ends the step.
func (s *shell) Close() error { return nil }
