// Package logs is the command logs: it prints the log of a job, and follows it.
package logs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Name is the name of the command.
const Name = "logs"

// Options are the user's choices.
type Options struct {
	*cli.Program
	follow, stderr bool
	lines          int
	job            string
}

// Limits of --lines.
const defaultLines, mostLines = 10, 10_000

// Command prints the log of a job.
func Command(io cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   Name + " [flags] JOB",
		Short: "print the log of a job, and follow it",
		Long: `logs prints the last lines of a job's log: the file to which SLURM writes the
output of its batch script. The file is read here if its file system is one of
the network, and otherwise through the node of the batch script. Escape
sequences are removed, and a progress bar is printed in its last state.`,
		Example: `  nvnodetop logs 48211             the last 10 lines
  nvnodetop logs -f 48211          and those that come, until Ctrl-C
  nvnodetop logs -n 500 2_1        500 lines of a task of an array
  nvnodetop logs --stderr 48211    the file of its standard error`,
	}
	f := cmd.Flags()
	f.SortFlags = false
	l := &Options{}
	f.BoolVarP(&l.follow, "follow", "f", false, "print new lines as they come, until Ctrl-C")
	f.IntVarP(&l.lines, "lines", "n", defaultLines, "print the last `N` lines")
	cli.Rule(f, "lines", fmt.Sprintf("a whole number from 0 to %d, such as 500", mostLines))
	f.BoolVar(&l.stderr, "stderr", false, "the file of the standard error, if there is another one")
	l.Program = cli.New(io, f, "login", "transport", "timeout", cli.MaxAge, "demo")
	cmd.Args = l.Args(func(args []string) error {
		if len(args) != 1 || args[0] == "" {
			return errors.New("logs takes the ID of one job: nvnodetop logs 48211 (squeue --me lists your jobs)")
		}
		l.job = args[0]
		return nil
	})
	cmd.PreRunE = func(*cobra.Command, []string) error { return l.loadOptions() }
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return l.runLogs(cmd.Context()) }
	return cmd
}

// loadOptions reads the command line and the settings.
func (l *Options) loadOptions() error {
	if l.lines < 0 || l.lines > mostLines {
		return l.BrokenRule("lines", l.lines)
	}
	if l.follow && l.MaxAge != 0 {
		return fmt.Errorf("--%s is for what is printed once: it cannot be combined with --follow", cli.MaxAge)
	}
	if err := l.Accept(); err != nil {
		return err
	}
	if !l.Config.Logs {
		return cli.Usage("logs are switched off: logs = false (%s)", l.Config.LogsFrom)
	}
	return nil
}

func (l *Options) runLogs(ctx context.Context) error {
	log := slog.New(slog.DiscardHandler)
	if err := feed.NameJobs(ctx, l.Program, log, &l.job); err != nil {
		return err
	}
	from, err := l.openSource(ctx, log)
	if err != nil {
		return err
	}
	defer from.close()
	p := &printer{Options: l, from: from, window: joblog.NewWindow(-firstPiece)}
	err = p.printLog(ctx)
	failure, is := errors.AsType[*reach.Failure](err)
	switch {
	case err == nil, ctx.Err() != nil && l.follow:
		return nil
	case ctx.Err() != nil:
		return cli.Exit(cli.ExitFailed, cli.ErrInterrupted)
	case errors.Is(err, command.ErrNoSlurm):
		return cli.Exit(cli.ExitNoJobs, feed.AskElsewhere(&l.Config))
	case is && (failure.Class == reach.ClassSlurm || failure.Class == reach.ClassSlurmTimeout):
		return cli.Exit(cli.ExitNoJobs, err)
	}
	return cli.Failed(err)
}
