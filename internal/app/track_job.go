package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/report"
	"github.com/nvnodetop/nvnodetop/internal/session"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
)

// jobReport is what the user wants of a job.
type jobReport struct {
	format string   // one of reportFormats
	file   *os.File // nil: standard output
	record string   // also record to this file; "": nothing is recorded
}

// reportFormats write a report.
var reportFormats = map[string]func(io.Writer, *report.Report) error{
	"text":     func(w io.Writer, r *report.Report) error { return report.Text(w, r, time.Local) },
	"json":     report.JSON,
	"markdown": func(w io.Writer, r *report.Report) error { return report.Markdown(w, r, time.Local) },
}

// Flags of the report of a job, and those that only the report of a command has.
var (
	jobFlags     = []string{"transport", "login", "timeout", "log"}
	commandFlags = []string{"ram-unit", "gpu-ram-unit", "time-unit", "n-expected-cores", "gpu-uuids", "disable-logs",
		"execute"}
)

// choose takes the job of the batch script for srun. A flag that only the report of a command has asks for that.
func (t *tracking) choose(flags *pflag.FlagSet, args []string) {
	if len(args) > 0 && filepath.Base(args[0]) == "srun" && !flags.Changed("job") &&
		!slices.ContainsFunc(commandFlags, flags.Changed) {
		t.job = os.Getenv(batchJob)
	}
}

// ofJob reports on a job, while a command runs if there is one.
func (t *tracking) ofJob(cmd *cobra.Command, cfg *config.Config, io streams, command []string) error {
	for _, name := range commandFlags {
		if cmd.Flags().Changed(name) {
			return usage("--%s is for the report of a command: it cannot be combined with --job", name)
		}
	}
	cfg.Job, cfg.JSON, cfg.Steady = t.job, true, true // no histories, and nobody presses a key
	origins, err := accept(cfg, cmd.Flags(), nil, io)
	if err == nil {
		err = t.checkJob(cfg, cmd.Flags())
	}
	if err == nil {
		err = t.checkRecord(cfg, io, len(command) > 0)
	}
	if err != nil {
		return err
	}
	file, err := openReport(t.output)
	if err != nil {
		return usage("--output: %w", err)
	}
	how := jobReport{t.format, file, t.record}
	return logged(cfg, origins, func(log *slog.Logger) error {
		if len(command) > 0 {
			return trackInJob(cmd.Context(), cfg, io, log, command, how)
		}
		return trackJob(cmd.Context(), cfg, io, log, how)
	})
}

func (t *tracking) checkJob(cfg *config.Config, flags *pflag.FlagSet) error {
	switch {
	case reportFormats[t.format] == nil:
		return fmt.Errorf("--format must be text, json or markdown, not %q", t.format)
	case flags.Changed("output") && t.output == "":
		return errors.New("--output is empty")
	case !flags.Changed("sleep-time"):
		return nil
	}
	least, most := cfg.PollFloor.Seconds(), config.MaxPoll.Seconds()
	if !(t.every >= least && t.every <= most) { // true for NaN as well
		return fmt.Errorf("--sleep-time of a job must be %v to %v seconds, not %v", least, most, t.every)
	}
	cfg.Poll = time.Duration(t.every * float64(time.Second))
	return nil
}

// checkRecord refuses a recording that is switched off. A command runs without it: a job that has waited for days is
// not for a report alone.
func (t *tracking) checkRecord(cfg *config.Config, io streams, runs bool) error {
	why := notRecorded(cfg)
	if t.record == "" || why == "" {
		return nil
	}
	if !runs {
		return usage("%s", why)
	}
	fmt.Fprintf(io.err, "nvnodetop: %s: the command runs without --record\n", printable(why))
	t.record = ""
	return nil
}

// trackJob watches a job until it ends, or until the user interrupts it, and prints its report.
func trackJob(ctx context.Context, cfg *config.Config, io streams, log *slog.Logger, how jobReport) error {
	if cfg.Login == "" && !slurm.Installed() {
		return &exitError{exitNoJobs, errors.New(notInstalled)}
	}
	return fed(ctx, cfg, io, log, alongside(how.record, func(ctx context.Context, cfg *config.Config, io streams,
		from feed) error {
		seen, err := observeJob(ctx, cfg, io, from)
		if err != nil {
			return err
		}
		return how.print(io, seen)
	}))
}

// observeJob returns the report when the job has ended, or ctx.
func observeJob(ctx context.Context, cfg *config.Config, io streams, from feed) (*report.Report, error) {
	seen := report.New(cfg.Job, cfg.Poll, health.Rules(cfg.Thresholds))
	w := &jobWait{Wait: report.Wait{Job: cfg.Job, Answer: time.Now().Add(cfg.Timeout)}, line: newStatus(io.err)}
	run := session.Start(ctx, from, raiseMemory(), seen.Apply)
	run.Await(0, func() bool { return w.over(seen.Stage()) })
	w.line.erase()
	if err := run.Stop(onceParting); err != nil {
		return nil, failed(err)
	}
	if w.failed != nil {
		return nil, &exitError{exitNoJobs, w.failed}
	}
	r := seen.Report()
	if r == nil {
		return nil, &exitError{exitFailed, errInterrupted}
	}
	return r, nil
}

// jobWait is the wait for the end of a job.
type jobWait struct {
	report.Wait
	line   *status
	failed error // there is nothing to wait for
}

// over reports whether the wait is over.
func (w *jobWait) over(stage report.Stage, d cluster.Discovery) (over bool) {
	switch stage {
	case report.Unknown:
		w.line.set("waiting for SLURM")
	case report.Waits:
		w.line.set("job " + w.Job + " is pending: waiting for its start")
	case report.Runs:
		w.line.set("watching job " + w.Job + ": the report comes when it ends, or with Ctrl-C")
	case report.Ends:
		w.line.set("job " + w.Job + " has ended: waiting for SLURM to say how")
	}
	over, w.failed = w.Over(time.Now(), stage, &d)
	return over
}

// print writes the report.
func (how jobReport) print(io streams, r *report.Report) error {
	var text bytes.Buffer
	err := reportFormats[how.format](&text, r)
	if err == nil {
		err = deliver(io, how.file, text.Bytes())
	}
	if err != nil {
		return &exitError{exitFailed, err}
	}
	for i := range r.Nodes {
		if r.Nodes[i].Reported() {
			return nil
		}
	}
	return &exitError{exitFailed, fmt.Errorf("no node of job %q has reported", r.Job.ID)}
}
