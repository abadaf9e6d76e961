package track

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/app/record"
	ofjobs "github.com/nvnodetop/nvnodetop/internal/app/report"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/output/report"
	"github.com/nvnodetop/nvnodetop/internal/output/track"
	"github.com/nvnodetop/nvnodetop/internal/source"
)

// inJob runs a command, usually srun in a batch script, watches its job meanwhile, and prints the report of the job.
// Neither SLURM nor the nodes can delay or stop the command, and its exit code is ours.
func (t *Options) inJob(ctx context.Context, log *slog.Logger, command []string, file *os.File) error {
	cfg := &t.Config
	running, err := track.StartChild(command, track.ChildStreams{In: t.In, Out: t.Out, Err: t.Err})
	if err != nil {
		return cannotRun(command[0], err)
	}
	seen := report.New(cfg.Job, cfg.Poll, health.Rules(cfg.Thresholds))
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the command gets the signals
	defer cancel()
	watch := source.StartTask(func() error { return t.observeJob(ctx, log, seen) })
	<-running.Ended()
	result := running.Reap()
	cancel()
	parting := feed.ShortParting
	if t.record != "" {
		parting += feed.Parting
	}
	_, err = watch.Wait(parting)
	if r := seen.Report(); r != nil {
		err = t.Report(file, t.format, r)
	} else {
		err = fmt.Errorf("there is no report of job %q: %w", cfg.Job,
			withoutExitCode(cmp.Or(err, unseenReason(cfg.Job, seen))))
	}
	switch {
	case result.Status != 0:
		return cli.Exit(result.Status, withoutExitCode(err))
	case err != nil:
		return cli.Exit(cli.ExitFailed, withoutExitCode(err))
	}
	return nil
}

// withoutExitCode returns the error without its exit code.
func withoutExitCode(err error) error {
	if exit, ours := errors.AsType[*cli.ExitError](err); ours {
		return exit.Err
	}
	return err
}

// observeJob passes the Events of its job to an Observer until ctx ends. It never asks the user anything, because the
// terminal belongs to the command.
func (t *Options) observeJob(ctx context.Context, log *slog.Logger, seen *report.Observer) error {
	nobody, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer func() { _ = nobody.Close() }() // nothing was written
	silent := *t.Program
	silent.In, silent.Out = nobody, nobody
	if err := silent.Join(); err != nil {
		return err
	}
	from, err := feed.Choose(ctx, &silent, ofjobs.Need, log)
	if err != nil {
		return err
	}
	return feed.Partial(&silent, record.Beside(&silent, t.record, observeEvents(seen)))(ctx, from)
}

// observeEvents passes the Events of a source to an Observer.
func observeEvents(seen *report.Observer) feed.Show {
	return func(ctx context.Context, from feed.Feed) error {
		run := source.StartSession(ctx, from, feed.RaiseMemory(), seen.Apply)
		<-run.Done()
		return run.Err()
	}
}

// unseenReason returns why a job was not seen.
func unseenReason(id string, seen *report.Observer) error {
	stage, d := seen.Stage()
	if stage == report.Absent {
		return report.Missing(id, &d)
	}
	return report.Unanswered("the command ended before SLURM answered", &d)
}
