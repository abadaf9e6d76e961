package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/app/record"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/output/report"
	"github.com/nvnodetop/nvnodetop/internal/output/report/books"
	"github.com/nvnodetop/nvnodetop/internal/output/report/output"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/source"
)

// Live reports on the job that its settings name. If the job runs, it watches the job until the end. If the job has
// ended, it asks SLURM's accounting.
type Live struct {
	*cli.Program
	Format string
	Record string // also record to this file; "": nothing is recorded
	Join   bool   // add what SLURM has counted to what was watched
	From   string // directory of recordings; "": the usual ones
}

// Need is what a job's report needs from the nodes: nobody presses a key.
var Need = feed.Need{Brief: true, Steady: true, Marks: true, Causes: true, Progress: true}

// Run watches a job until it ends, or until the user interrupts it, and prints its report.
func (w *Live) Run(ctx context.Context, log *slog.Logger, file *os.File) error {
	if w.Config.Demo == "" && w.Config.Login == "" && !slurm.Configured(ctx) {
		return cli.Exit(cli.ExitNoJobs, feed.AskElsewhere(&w.Config))
	}
	show := func(ctx context.Context, from feed.Feed) error {
		seen, err := Observe(ctx, w.Program, from)
		if err != nil {
			return err
		}
		w.addAccounting(ctx, log, seen)
		return w.Report(file, w.Format, addKnown(w.Program, seen))
	}
	need := Need
	need.Brief = w.Config.Demo == "" // a demo's past is all that there is to report on
	err := feed.Run(ctx, w.Program, need, log, record.Beside(w.Program, w.Record, show))
	exit, ours := errors.AsType[*cli.ExitError](err)
	if !ours || exit.Code != cli.ExitNoJobs || ctx.Err() != nil {
		return err
	}
	return w.reportUnwatched(ctx, log, file, exit.Err)
}

// addAccounting adds SLURM's accounting, if the job has ended and the cluster keeps accounts.
func (w *Live) addAccounting(ctx context.Context, log *slog.Logger, seen *report.Report) {
	if !w.Join || seen.Job.End.IsZero() || ctx.Err() != nil {
		return
	}
	jobs, err := askEnded(ctx, w.Program, log, seen.Job.ID)
	if err != nil || len(jobs) != 1 {
		return // the report is complete without it
	}
	books.Join(seen, &jobs[0], report.FromWatch, "", time.Now())
}

// reportUnwatched reports on a job that cannot be watched. why says the reason: it has ended, or belongs to another
// user.
func (w *Live) reportUnwatched(ctx context.Context, log *slog.Logger, file *os.File, why error) error {
	id := w.Config.Job
	if !sacct.IsID(id) {
		return cli.Exit(cli.ExitNoJobs, why)
	}
	line := cli.NewStatus(w.Err)
	line.Set("asking SLURM's accounting")
	jobs, err := askEnded(ctx, w.Program, log, id)
	line.Erase()
	switch {
	case errors.Is(err, cli.ErrInterrupted):
		return cli.Exit(cli.ExitFailed, err)
	case errors.Is(err, command.ErrNoSlurm):
		return cli.Exit(cli.ExitNoJobs, why)
	case err != nil:
		return cli.Exit(cli.ExitNoJobs, fmt.Errorf("%w; %w", why, err))
	case len(jobs) == 0:
		return cli.Exit(cli.ExitNoJobs, fmt.Errorf("%w; SLURM's accounting does not show it", why))
	case len(jobs) > 1:
		return writeDocument(&w.Streams, file, output.Lists[w.Format], books.List(jobs))
	}
	made := ofEnded(ctx, w.Program, w.From, id, &jobs[0])
	made.Job.Cause = cmp.Or(made.Job.Cause, feed.WhyFailed(ctx, w.Program, log, &jobs[0]))
	return w.Report(file, w.Format, made)
}

// Observe returns the report when the job or ctx has ended.
func Observe(ctx context.Context, p *cli.Program, from feed.Feed) (*report.Report, error) {
	cfg := &p.Config
	seen := report.New(cfg.Job, cfg.Poll, health.Rules(cfg.Thresholds))
	w := &jobWait{Wait: report.Wait{Job: cfg.Job, Answer: time.Now().Add(cfg.Timeout)}, line: cli.NewStatus(p.Err)}
	run := source.StartSession(ctx, from, feed.RaiseMemory(), seen.Apply)
	run.Await(0, func() bool {
		stage, d := seen.Stage()
		return w.isOver(stage, d) || stage == report.Runs && run.HasToldStory() // its job never ends
	})
	w.line.Erase()
	if err := run.Stop(feed.ShortParting); err != nil {
		return nil, cli.Failed(err)
	}
	if w.failed != nil {
		return nil, cli.Exit(cli.ExitNoJobs, w.failed)
	}
	r := seen.Report()
	if r == nil {
		return nil, cli.Exit(cli.ExitFailed, cli.ErrInterrupted)
	}
	return r, nil
}

// jobWait is the wait for the end of a job.
type jobWait struct {
	report.Wait
	line   *cli.Status
	failed error // why there is nothing to wait for
}

// isOver reports whether the wait is over.
func (w *jobWait) isOver(stage report.Stage, d cluster.Discovery) (over bool) {
	switch stage {
	case report.Unknown:
		w.line.Set("waiting for SLURM")
	case report.Waits:
		w.line.Set("job " + w.Job + " is pending: waiting for its start")
	case report.Runs:
		w.line.Set("watching job " + w.Job + ": the report comes when it ends, or with Ctrl-C")
	case report.Ends:
		w.line.Set("job " + w.Job + " has ended: waiting for SLURM to say how")
	}
	over, w.failed = w.Over(time.Now(), stage, &d)
	return over
}
