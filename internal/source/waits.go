package source

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/queue"
)

// waits asks SLURM why jobs wait, one job at a time, with a pause after each.
type waits struct {
	run   command.Runner
	floor func() time.Duration // the time between two questions

	mu   sync.Mutex // protects the following; one question at a time
	job  string     // the one that was asked about last
	last *queue.Wait
	err  error
	at   time.Time // end of that question
}

// askWhy returns why a job waits. During the pause, the last answer counts, and no other job is asked about.
func (w *waits) askWhy(ctx context.Context, job string) (*queue.Wait, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := max(w.floor(), leastGap) - time.Since(w.at)
	switch {
	case w.at.IsZero() || left <= 0:
	case job == w.job:
		return w.last, w.err
	default:
		return nil, fmt.Errorf("SLURM was just asked about job %s: ask again in %v", w.job, left.Round(time.Second))
	}
	w.last, w.err = queue.Ask(ctx, w.run, job)
	w.job, w.at = job, time.Now()
	return w.last, w.err
}

// runInTurn runs a command of SLURM once no other one is running and the controller has rested.
func (d *discoverer) runInTurn(ctx context.Context, argv ...string) (stdout, stderr []byte, err error) {
	type output struct {
		stdout, stderr []byte
		err            error
	}
	got, err := askInTurn(ctx, d, argv, func(ctx context.Context, argv []string) (output, error) {
		stdout, stderr, err := d.slurm.Run(ctx, argv...)
		return output{stdout, stderr, err}, nil
	}, errQueued, errQueued)
	if err != nil {
		return nil, nil, err
	}
	return got.stdout, got.stderr, got.err
}

var errQueued = errors.New("SLURM still answers another command")
