// Package report is the command report: it reports on a job that is running, has ended or was recorded, on a user's
// jobs, or on two jobs side by side.
package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/app/record"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/output/report/output"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
)

// Name is the name of the command.
const Name = "report"

// Options are the user's choices for a report.
type Options struct {
	*cli.Program

	format, output string
	from           string // a recording, or a directory with recordings; "": none
	record         string // also record to this file; "": nothing is recorded
	interval       string
	user           string
	days           int
}

// maxDays limits how many days a list of jobs may cover.
const maxDays = 366

// Command reports on jobs.
func Command(io cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   Name + " [JOB [OTHER-JOB]]",
		Short: "report what jobs used, and what to ask for next time",
		Long: `report tells what JOB has used: of a job that has ended what SLURM has counted,
with a recording of it if there is one. A job of yours that runs is watched on
all its nodes until it ends; Ctrl-C ends the watch, and the report goes up to
then. It says which numbers come from where, and which to write next time, such
as --mem=6G.

With two jobs it compares them; each may also be a file with a report as JSON.
Without a job, or with --user, it lists the jobs of the last days with their
wasted GPU-hours.`,
		Example: `  nvnodetop report 48211
  nvnodetop report --format markdown --output report.md 48211
  nvnodetop report --from run.nvr            the job of a recording
  nvnodetop report 48211 48377               two jobs side by side
  nvnodetop report --user alice --days 30    a line for each job
  nvnodetop report --demo 48377_2 48377_1    two jobs of a simulated cluster`,
	}
	f := cmd.Flags()
	f.SortFlags = false
	o := &Options{Program: cli.New(io, f)}
	o.addFlags(f)
	o.Share("login", "transport", "timeout", "log", "demo")
	var jobs []string
	cmd.Args = o.Args(func(args []string) error {
		jobs = args
		return nil
	})
	cmd.PreRunE = func(*cobra.Command, []string) error { return o.checkArguments(jobs) }
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cli.OutliveReaders()
		file, err := cli.OpenReport(o.output)
		if err != nil {
			return cli.Usage("--output: %w", err)
		}
		return o.Logged(func(log *slog.Logger) error { return o.runReport(cmd.Context(), log, file, jobs) })
	}
	return cmd
}

func (o *Options) addFlags(f *pflag.FlagSet) {
	f.StringVarP(&o.format, "format", "f", "text", "print `FORMAT`: text, json, csv or markdown")
	f.StringVarP(&o.output, "output", "o", "", "write to `FILE`")
	f.StringVar(&o.from, "from", "", "report on the job of the recording `FILE`, or on JOB if it has several; "+
		"or the directory with the recording of JOB")
	f.StringVar(&o.user, "user", "", "list the jobs of `NAME`; default: yours")
	f.Lookup("user").NoOptDefVal = self
	f.IntVar(&o.days, "days", 7, "list the jobs of the last `N` days")
	cli.Rule(f, "days", fmt.Sprintf("a whole number from 1 to %d, such as 30", maxDays))
	f.StringVar(&o.interval, cli.Interval, "", "`SECONDS` between two samples of a node of a job that runs")
	record.BesideFlag(f, &o.record)
}

// self stands for the user's own name, in the form that the help shows.
const self = "$USER"

// checkArguments reports mistakes on the command line, and loads the settings.
func (o *Options) checkArguments(args []string) error {
	if err := cli.OneOf("format", o.format, output.Names...); err != nil {
		return err
	}
	listed := o.Changed("user") || o.Changed("days")
	switch {
	case len(args) > 2:
		return fmt.Errorf("too many arguments (%d): expected one job, or two to compare", len(args))
	case listed && len(args) > 0:
		return errors.New("--user and --days list jobs: they cannot be combined with a job")
	case listed && o.from != "":
		return errors.New("--from is about a recording: it cannot be combined with --user or --days")
	case o.from != "" && len(args) > 1:
		return errors.New("--from takes one job: name a file instead of each job that is compared")
	case o.record != "" && (len(args) != 1 || o.from != ""):
		return errors.New("--record is for one job that runs")
	case o.Changed("output") && o.output == "":
		return errors.New("--output is empty")
	case o.Changed("from") && o.from == "":
		return errors.New("--from is empty")
	case isMissingDay(o.from):
		return fmt.Errorf("--from takes a recording, and there is no file %q: --days 30 lists the jobs of 30 days", o.from)
	case o.days < 1 || o.days > maxDays:
		return o.BrokenRule("days", o.days)
	case o.user != "" && o.user != self && !sacct.IsUser(o.user):
		return fmt.Errorf("--user: %q is not the name of a user, such as alice", o.user)
	}
	for _, arg := range args {
		if arg == "" {
			return errors.New("JOB is empty")
		}
	}
	var poll []config.Word
	if o.Changed(cli.Interval) {
		words, err := o.ByInterval(o.interval, config.MinPoll)
		if err != nil {
			return err
		}
		poll = words
	}
	o.Apart = o.from != "" && !isDir(o.from)
	if err := o.Accept(poll...); err != nil {
		return err
	}
	if o.record != "" {
		return record.Allowed(&o.Config)
	}
	return nil
}

func (o *Options) runReport(ctx context.Context, log *slog.Logger, file *os.File, args []string) error {
	if err := o.nameJobs(ctx, log, args); err != nil {
		return err
	}
	inDir := isDir(o.from) && len(args) == 1 && sacct.IsID(args[0])
	switch {
	case o.from != "" && !inDir:
		return o.reportRecorded(ctx, log, file, args)
	case len(args) == 0:
		return o.listJobs(ctx, log, file)
	case len(args) == 2:
		return o.compareReports(ctx, log, file, args)
	case !sacct.IsID(args[0]):
		return o.printStored(ctx, file, args[0])
	}
	o.Config.Job = args[0]
	live := Live{Program: o.Program, Format: o.format, Record: o.record, Join: true, From: o.from}
	return live.Run(ctx, log, file)
}

// nameJobs replaces SLUIDs with job IDs, unless a SLUID is the name of a file.
func (o *Options) nameJobs(ctx context.Context, log *slog.Logger, args []string) error {
	var jobs []*string
	for i := range args {
		if _, err := os.Stat(args[i]); err != nil {
			jobs = append(jobs, &args[i])
		}
	}
	return feed.NameJobs(ctx, o.Program, log, jobs...)
}

// isMissingDay reports whether a path is a date, and no file has that name.
func isMissingDay(path string) bool {
	_, err := time.Parse(time.DateOnly, path)
	_, missing := os.Stat(path)
	return err == nil && missing != nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// writeDocument writes a document to the user's file, or to standard output.
func writeDocument[T any](io *cli.Streams, file *os.File, write func(io.Writer, T, output.TextFormat) error,
	document T) error {
	var text bytes.Buffer
	err := write(&text, document, io.Look(file))
	if err == nil {
		err = io.Deliver(file, text.Bytes())
	}
	return cli.Failed(err)
}

// listJobs prints a line for each job of a user.
func (o *Options) listJobs(ctx context.Context, log *slog.Logger, file *os.File) error {
	user := o.user
	switch {
	case o.Config.Demo != "":
		user = demo.User
	case user == "" || user == self:
		user = o.Me()
	}
	now := time.Now()
	from := now.AddDate(0, 0, -o.days)
	made, err := listOf(ctx, o.Program, log, sacct.Query{User: user, From: from, To: now})
	if err != nil {
		return err
	}
	if len(made.Jobs) == 0 {
		o.Say("SLURM shows no job of %q that ran in the last %d days", user, o.days)
	}
	return writeDocument(&o.Streams, file, output.Lists[o.format], made)
}
