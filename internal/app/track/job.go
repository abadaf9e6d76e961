package track

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/app/record"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/report"
	"github.com/nvnodetop/nvnodetop/internal/report/output"
	"github.com/nvnodetop/nvnodetop/internal/session"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
)

// Flags of the report of a job, and flags that only the report of a command has.
var (
	jobFlags     = []string{"transport", "login", "timeout", "log"}
	commandFlags = []string{"ram-unit", "gpu-ram-unit", "time-unit", "n-expected-cores", "gpu-uuids", "disable-logs",
		"execute", "pid", "tracking-file", "overwrite", "tconfig"}
)

// choose takes the job of the batch script if the command is srun. A flag that only the report of a command has selects
// that report.
func (t *Options) choose(args []string) {
	if len(args) > 0 && filepath.Base(args[0]) == "srun" && !t.Changed("job") &&
		!slices.ContainsFunc(commandFlags, t.Changed) {
		t.job = os.Getenv(feed.BatchJob)
	}
}

// ofJob reports on a job, during a command if there is one.
func (t *Options) ofJob(ctx context.Context, command []string) error {
	for _, name := range commandFlags {
		if t.Changed(name) {
			return cli.Usage("--%s is for the report of a command: it cannot be combined with --job", name)
		}
	}
	t.Config.Job = t.job
	poll, err := t.checkJob()
	if err == nil {
		err = t.Accept(poll...)
	}
	if err == nil {
		err = t.checkRecord(len(command) > 0)
	}
	if err != nil {
		return err
	}
	file, err := cli.OpenReport(t.output)
	if err != nil {
		return cli.Usage("--output: %w", err)
	}
	return t.Logged(func(log *slog.Logger) error {
		if len(command) > 0 {
			return t.inJob(ctx, log, command, file)
		}
		return t.wholeJob(ctx, log, file)
	})
}

// need is the demand of a job's report on its nodes: nobody presses a key.
var need = feed.Need{Brief: true, Steady: true}

func (t *Options) checkJob() (poll []config.Word, err error) {
	if err := cli.OneOf("format", t.format, output.Names...); err != nil {
		return nil, err
	}
	switch {
	case t.Changed("output") && t.output == "":
		return nil, errors.New("--output is empty")
	case t.Changed(cli.Interval):
		return t.ByInterval(t.flags.Lookup(cli.Interval).Value.String(), config.MinPoll)
	}
	return nil, nil
}

// checkRecord refuses a recording that is switched off. A command runs without the recording: a job that has waited for
// days must not fail because of a report.
func (t *Options) checkRecord(runs bool) error {
	why := record.SwitchedOff(&t.Config)
	if t.record == "" || why == "" {
		return nil
	}
	if !runs {
		return cli.Usage("%s", why)
	}
	t.Say("%s: the command runs without --record", why)
	t.record = ""
	return nil
}

// wholeJob watches a job until it ends, or until the user interrupts it, and prints its report.
func (t *Options) wholeJob(ctx context.Context, log *slog.Logger, file *os.File) error {
	if t.Config.Login == "" && !slurm.Installed() {
		return cli.Exit(cli.ExitNoJobs, errors.New(feed.NotInstalled))
	}
	show := func(ctx context.Context, from feed.Feed) error {
		seen, err := observe(ctx, t.Program, from)
		if err != nil {
			return err
		}
		return t.Report(file, t.format, seen)
	}
	return feed.Run(ctx, t.Program, need, log, record.Beside(t.Program, t.record, show))
}

// observe returns the report when the job or ctx has ended.
func observe(ctx context.Context, p *cli.Program, from feed.Feed) (*report.Report, error) {
	cfg := &p.Config
	seen := report.New(cfg.Job, cfg.Poll, health.Rules(cfg.Thresholds))
	w := &jobWait{Wait: report.Wait{Job: cfg.Job, Answer: time.Now().Add(cfg.Timeout)}, line: cli.NewStatus(p.Err)}
	run := session.Start(ctx, from, feed.RaiseMemory(), seen.Apply)
	run.Await(0, func() bool { return w.over(seen.Stage()) })
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
	failed error // the reason why there is nothing to wait for
}

// over reports whether the wait is over.
func (w *jobWait) over(stage report.Stage, d cluster.Discovery) (over bool) {
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
