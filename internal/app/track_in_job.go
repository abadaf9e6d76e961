package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/report"
	"github.com/nvnodetop/nvnodetop/internal/session"
	"github.com/nvnodetop/nvnodetop/internal/track/child"
)

// trackInJob runs a command, usually srun in a batch script, while its job is watched, and prints the report of the
// job. Nothing that SLURM or the nodes say delays or stops the command, and its exit code is ours.
func trackInJob(ctx context.Context, cfg *config.Config, stdio streams, log *slog.Logger, command []string,
	how jobReport) error {
	running, err := child.Start(command, child.Streams{In: stdio.in, Out: stdio.out, Err: stdio.err})
	if err != nil {
		return cannotRun(command[0], err)
	}
	seen := report.New(cfg.Job, cfg.Poll, health.Rules(cfg.Thresholds))
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // signals are the command's
	defer cancel()
	watch := session.Go(func() error { return watchAside(ctx, cfg, stdio.err, log, seen, how.record) })
	<-running.Ended()
	result := running.Reap()
	cancel()
	parting := onceParting
	if how.record != "" {
		parting += partingTime
	}
	_, err = watch.Wait(parting)
	if r := seen.Report(); r != nil {
		err = how.print(stdio, r)
	} else {
		err = fmt.Errorf("there is no report of job %q: %w", cfg.Job, reason(cmp.Or(err, unseen(cfg.Job, seen))))
	}
	switch {
	case result.Status != 0:
		return &exitError{result.Status, reason(err)}
	case err != nil:
		return &exitError{exitFailed, reason(err)}
	}
	return nil
}

// reason is an error without an exit code.
func reason(err error) error {
	if exit, ours := errors.AsType[*exitError](err); ours {
		return exit.err
	}
	return err
}

// watchAside gives an Observer the Events of its job until ctx ends. It asks the user nothing: the terminal is the
// command's.
func watchAside(ctx context.Context, cfg *config.Config, errs io.Writer, log *slog.Logger, seen *report.Observer,
	record string) error {
	nobody, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer func() { _ = nobody.Close() }() // nothing was written
	silent := streams{in: nobody, out: nobody, err: errs}
	from, err := choose(ctx, cfg, silent, log)
	if err != nil {
		return err
	}
	return partial(alongside(record, aside(seen)))(ctx, cfg, silent, from)
}

// aside gives an Observer the Events of a source.
func aside(seen *report.Observer) show {
	return func(ctx context.Context, _ *config.Config, _ streams, from feed) error {
		run := session.Start(ctx, from, raiseMemory(), seen.Apply)
		<-run.Done()
		return run.Err()
	}
}

// unseen says why a job was not seen.
func unseen(id string, seen *report.Observer) error {
	stage, d := seen.Stage()
	if stage == report.Absent {
		return report.Missing(id, &d)
	}
	return report.Unanswered("the command ended before SLURM answered", &d)
}
