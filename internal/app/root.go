package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/available"
	"github.com/nvnodetop/nvnodetop/internal/app/check"
	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/app/logs"
	"github.com/nvnodetop/nvnodetop/internal/app/record"
	"github.com/nvnodetop/nvnodetop/internal/app/report"
	"github.com/nvnodetop/nvnodetop/internal/app/screen"
	"github.com/nvnodetop/nvnodetop/internal/app/serve"
	"github.com/nvnodetop/nvnodetop/internal/app/stacks"
	"github.com/nvnodetop/nvnodetop/internal/app/track"
	"github.com/nvnodetop/nvnodetop/internal/app/watch"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/output/plain"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// options are the options that exist only without a command.
type options struct {
	once, json, plain, follow, forceColor, details bool

	choice cli.Selection
}

const (
	about = `nvnodetop shows every GPU of your running SLURM jobs, on all their nodes, on one
screen, from the login node. Nothing to install on the nodes: over one ssh
session per node, nvnodetop copies its probe there and runs it.

POLL is the interval between samples of a node, DISPLAY between screen updates,
in seconds (default 3 and 1).`

	examples = `  nvnodetop                        your running jobs
  nvnodetop 5 2                    nodes every 5 s, screen every 2 s
  nvnodetop --nodes 'gpu[01-04]'   these hosts, without SLURM
  nvnodetop --login alice@cluster  your jobs on a cluster, from your own computer
  nvnodetop --json                 one JSON document, for scripts
  nvnodetop snapshot --help        the same as CSV, or for Prometheus
  nvnodetop doctor gpu01           examine the connection to a node, step by step
  nvnodetop --demo 64x8            a simulated cluster of 64 nodes with 8 GPUs each`
)

// newCommand returns the program with its commands.
func newCommand(io cli.Streams) *cobra.Command {
	var o options
	var intervals []config.Word
	cmd := &cobra.Command{
		Use:   "nvnodetop [POLL [DISPLAY]]",
		Short: "Every GPU of your SLURM jobs, on all their nodes, on one screen",
		Long:  about, Example: examples,
		Version:       wire.BuildVersion(), // not SetVersionTemplate, see printUsage
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	f := cmd.Flags()
	p := cli.New(io, f, cli.Shared()...)
	f.Lookup("timeout").Usage = "the longest `TIME` that --once, --plain and --json wait for nodes and SLURM"
	f.BoolVar(&o.once, "once", false, "print the overview, all nodes and their processes as text and exit")
	f.BoolVar(&o.forceColor, "force-color", false, "let --once print colors into a file or a pipe, too")
	f.BoolVar(&o.plain, "plain", false, "print it in sentences, one fact a line, for screen readers and grep, and exit")
	f.BoolVar(&o.follow, "follow", false, "with --plain: then print a line when a job, a node or a problem changes")
	f.BoolVar(&o.json, "json", false, "print everything as JSON and exit")
	screen.DetailsFlag(f, &o.details)
	f.String(cli.Interval, "", "POLL, as nvitop takes it")
	_ = f.MarkHidden(cli.Interval)
	chosen := cli.AddSelection(f)
	cmd.Args = p.Args(func(args []string) (err error) {
		if err = notIntervals(cmd, args); err != nil {
			return err
		}
		if err = cli.AtMostIntervals(args); err == nil {
			intervals, err = orInterval(cli.Intervals(args), f)
		}
		return err
	})
	cmd.PreRunE = func(*cobra.Command, []string) (err error) {
		if err = o.checkFlags(p); err != nil {
			return err
		}
		if err = p.Accept(intervals...); err != nil {
			return orJob(err, intervals)
		}
		o.choice, err = chosen.Choose(cmd.Context(), p, o.json)
		return err
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return p.Logged(func(log *slog.Logger) error { return o.runScreens(cmd.Context(), p, log) })
	}
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.SuggestionsMinimumDistance = 2
	cmd.SetUsageFunc(printUsage)
	cmd.SetFlagErrorFunc(cli.FlagError)
	addCommands(cmd, io)
	addCompletion(cmd, io)
	return cmd
}

// The groups of commands, by their purpose.
const (
	toLook     = "to look"
	toAsk      = "to ask"
	toRecord   = "to record"
	toAutomate = "to automate"
	toGetHelp  = "to get help"
)

// commands are the commands with their groups, in the order of the help. Only a few are shown, at most 15 including
// help. Rare ones are in help --all.
var commands = []struct {
	group string
	make  func(cli.Streams) *cobra.Command
	rare  bool
}{
	{group: toLook, make: available.Command},
	{group: toLook, make: available.ListCommand},
	{group: toLook, make: logs.Command},
	{group: toLook, make: screen.SnapshotCommand},
	{group: toLook, make: stacks.Command},
	{group: toAsk, make: check.Command},
	{group: toAsk, make: stacks.DoctorCommand},
	{group: toAsk, make: report.Command},
	{group: toAsk, make: track.Command},
	{group: toRecord, make: track.MarkCommand, rare: true},
	{group: toRecord, make: record.Command},
	{group: toRecord, make: screen.ReplayCommand},
	{group: toRecord, make: record.ScalarsCommand, rare: true},
	{group: toAutomate, make: schemaCommand, rare: true},
	{group: toAutomate, make: serve.Command},
	{group: toAutomate, make: watch.Command},
	{group: toGetHelp, make: configCommand},
}

// addCommands adds the commands and their groups to the program.
func addCommands(root *cobra.Command, io cli.Streams) {
	for _, row := range commands {
		if !root.ContainsGroup(row.group) {
			root.AddGroup(&cobra.Group{ID: row.group, Title: "Commands " + row.group})
		}
		command := row.make(io)
		command.GroupID, command.Hidden = row.group, row.rare
		root.AddCommand(command)
	}
	all := false
	what := &cobra.Command{Use: "help [COMMAND]", Short: "print the help of a command; --all: all commands",
		GroupID: toGetHelp, RunE: func(_ *cobra.Command, args []string) error { return printHelp(root, args, all) }}
	what.Flags().BoolVar(&all, "all", false, "list all commands")
	root.SetHelpCommand(what)
}

// checkFlags refuses flags that exclude each other.
func (o *options) checkFlags(p *cli.Program) error {
	printed := o.once || o.json || o.plain && !o.follow
	switch {
	case o.once && o.json:
		return errors.New("--once and --json cannot be combined")
	case o.plain && o.json:
		return errors.New("--plain and --json cannot be combined")
	case o.follow && !o.plain:
		return errors.New("--follow is for --plain: add --plain, or run nvnodetop without it for the screen")
	case o.follow && o.once:
		return errors.New("--once and --follow cannot be combined")
	case o.details && !o.json:
		return errors.New("--details is for --json: on the screen v shows them for a process")
	case p.FirstSample && !printed:
		return errors.New("--first-sample is for what is printed once: add --once or --json")
	case p.MaxAge != 0 && !printed:
		return errors.New("--max-age is for what is printed once: add --once or --json")
	}
	return nil
}

// notIntervals refuses a word in place of POLL: a misspelled command, another program's command, or the size of a demo.
func notIntervals(root *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
	case root.Flags().Changed("demo") && (!startsWithNumber(args[0]) || strings.Contains(args[0], "x")):
		return fmt.Errorf("--demo takes a size such as 64x8, not %q", args[0])
	case !startsWithNumber(args[0]):
		return noCommand(root, args[0])
	}
	return nil
}

// orJob adds to the error of a POLL that is as long as the ID of a job which commands take a job.
func orJob(err error, intervals []config.Word) error {
	const shortest = 4 // digits of the ID of a job
	if len(intervals) == 0 {
		return err
	}
	id := intervals[0].Text
	if len(id) < shortest || strings.Trim(id, "0123456789_") != "" {
		return err
	}
	return fmt.Errorf("%w (if it is a job: nvnodetop list --job %s, nvnodetop logs %s or nvnodetop report %s)", err, id,
		id, id)
}

func startsWithNumber(s string) bool { return strings.IndexAny(s, "0123456789.+-") == 0 }

// elsewhere has commands of other programs, each with the command that replaces it here.
var elsewhere = map[string]string{
	"version": "--version prints the version", "man": "nvnodetop help prints the manual of a command",
	"kill":   "the page of processes sends signals",
	"signal": "the page of processes sends signals",
	"cancel": "X on the page of processes, 5, cancels a job; so does scancel",
	"dmon":   "nvnodetop scalars --csv - prints a line for each GPU again and again",
	"pmon":   "nvnodetop list prints the processes", "ssh": "nvnodetop --nodes gpu01 shows the GPUs of a host, and " +
		"nvnodetop doctor gpu01 examines the connection",
	"seff": "nvnodetop report JOB says what a job used", "squeue": "nvnodetop without a command shows your jobs",
	"sinfo": "nvnodetop available prints free GPUs",
	"view":  "nvnodetop without a command shows your jobs", "top": "nvnodetop without a command shows your jobs",
	"monitor": "nvnodetop without a command shows your jobs",
}

// noCommand returns the error for a word that is not a command. It names the nearest command.
func noCommand(root *cobra.Command, word string) error {
	hint, known := elsewhere[word]
	if !known {
		hint = root.Name() + " --help lists them"
	}
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	meant := text.Meant(word, names)
	switch {
	case known:
		meant = ""
	case meant == "" && strings.ContainsAny(word, "0123456789[."):
		hint = fmt.Sprintf("if it is a host: nvnodetop --nodes %[1]q, or nvnodetop doctor %[1]s", word)
	}
	return cli.Usage("no command %q%s (%s)", word, meant, hint)
}

// orInterval returns the intervals, or POLL from the flag --interval if the flag's value is not a plain number:
// asNvitop turns a plain number into an argument.
func orInterval(words []config.Word, flags *pflag.FlagSet) ([]config.Word, error) {
	switch {
	case !flags.Changed(cli.Interval):
		return words, nil
	case len(words) > 0:
		return nil, fmt.Errorf("--%s is POLL: both cannot be given", cli.Interval)
	}
	return []config.Word{{Name: "--" + cli.Interval, Text: flags.Lookup(cli.Interval).Value.String()}}, nil
}

// runScreens shows the screens, or prints once.
func (o *options) runScreens(ctx context.Context, p *cli.Program, log *slog.Logger) error {
	switch {
	case o.follow:
		return o.followPlain(ctx, p, log)
	case !o.once && !o.json && !o.plain:
		if err := screen.Possible(&p.Streams); err != nil {
			return err
		}
		return feed.RunScreen(ctx, p, feed.Need{Marks: true, Causes: true, Progress: true}, log, screen.Watch(p, o.choice))
	}
	need := feed.Once(p)
	need.Brief, need.Tails = o.json, true
	return feed.Run(ctx, p, need, log, func(ctx context.Context, from feed.Feed) error {
		return feed.Printed(p, need, func(s *cluster.Snapshot) error {
			if o.json {
				return screen.PrintJSON(p, s, &o.choice, screen.AskDetails(ctx, p, from, o.details))
			}
			if err := o.choice.CheckGPUs(s); err != nil {
				return err
			}
			if o.plain {
				return printLines(p, plain.Lines(o.choice.Narrow(s), o.choice.GPUs))
			}
			return screen.TextFormat{Selection: o.choice, ForceColor: o.forceColor}.Text(p, s)
		}, feed.Verdict)(ctx, from)
	})
}
