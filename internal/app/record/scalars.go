package record

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/output/scalars"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
)

// ScalarsName is the name of the command. Its old name Log still works.
const (
	ScalarsName = "scalars"
	LogName     = "log"
)

// The intervals, in seconds. The shortest is one second, since TensorBoard counts whole seconds.
const (
	scalarsInterval      = "10"
	leastScalarsInterval = time.Second
)

// ScalarsOptions are the user's choice of logged values and of files.
type ScalarsOptions struct {
	*cli.Program
	flags *pflag.FlagSet

	dir, csv, jsonl string
	interval        string

	batch   bool // the job is the one that the batch script belongs to
	outputs []scalarsOutput
	log     *scalars.Log
	begun   bool
}

// scalarsOutput is a file, with the flag that names it.
type scalarsOutput struct {
	flag string
	scalars.Output
}

// ScalarsCommand appends scalars to files.
func ScalarsCommand(io cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:     ScalarsName,
		Aliases: []string{LogName},
		Short:   "append metrics to TensorBoard, CSV or JSON Lines files",
		Long: `scalars appends the numbers of each GPU, by the rank that runs on it, to the files
that are named, until it is interrupted or the job ends: event files that
TensorBoard shows, CSV, or JSON lines. Several kinds can be written at once.

It logs your running jobs, and inside a job this job only. An existing CSV or
JSON lines file is continued; one that holds something else is refused.`,
		Example: `  nvnodetop scalars --tensorboard runs             a directory for each of your jobs
  nvnodetop scalars --tensorboard runs &           in a batch script, before srun
  nvnodetop scalars --job 48211 --csv gpus.csv     one job, until it ends
  nvnodetop scalars --jsonl - --interval 1 | jq .  as a stream`,
	}
	f := cmd.Flags()
	f.SortFlags = false
	l := &ScalarsOptions{flags: f}
	f.StringVar(&l.dir, "tensorboard", "", "write event files into `DIR`, in a directory for each job")
	f.StringVar(&l.csv, "csv", "", "append CSV to `FILE`; - is the standard output")
	f.StringVar(&l.jsonl, "jsonl", "", "append JSON, an object in each line, to `FILE`; - is the standard output")
	f.StringVar(&l.interval, cli.Interval, scalarsInterval, "read and log every `SECONDS`")
	l.Program = cli.New(io, f)
	f.StringVar(&l.Config.Job, "job", "", "log the job `ID` only, and end with it")
	l.Share("nodes", "login", "transport", "timeout", "log", "demo")
	cmd.Args = l.Args(cli.NoArguments)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := l.checkChoice(); err != nil {
			return err
		}
		poll, err := l.ByInterval(l.interval, leastScalarsInterval)
		if err != nil {
			return err
		}
		l.batch = feed.OwnJob(cmd.Context(), l.Program)
		return l.Accept(poll...)
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return l.Logged(func(log *slog.Logger) error { return l.runScalars(cmd.Context(), log) })
	}
	return cmd
}

// checkChoice checks the choice of files and of the job.
func (l *ScalarsOptions) checkChoice() error {
	for _, name := range []string{"tensorboard", "csv", "jsonl", "job"} { // "$UNSET" in a script
		if f := l.flags.Lookup(name); f.Changed && f.Value.String() == "" {
			return fmt.Errorf("--%s is empty", name)
		}
	}
	switch {
	case l.dir == "" && l.csv == "" && l.jsonl == "":
		return errors.New("name a file to write: --tensorboard DIR, --csv FILE or --jsonl FILE")
	case l.csv == l.jsonl && l.csv != "":
		return errors.New("--csv and --jsonl need files of their own")
	}
	return nil
}

func (l *ScalarsOptions) runScalars(ctx context.Context, log *slog.Logger) (err error) {
	defer func() {
		for _, o := range l.outputs {
			if wrong := o.Close(); wrong != nil && err == nil {
				err = cli.Failed(fmt.Errorf("--%s: %w", o.flag, wrong))
			}
		}
	}()
	if err := l.openFiles(); err != nil {
		return err
	}
	every := l.Config.Poll
	l.log = scalars.New(every)
	show := feed.Followed(l.Program, every/2, l.logSnapshot) // twice per report, so that none is missed
	err = feed.Run(ctx, l.Program, feed.Need{Brief: true, Steady: true, Marks: true, Progress: true}, log, show)
	if errors.Is(err, errJobOver) {
		return nil
	}
	return err
}

// errJobOver reports that the job to be logged has ended.
var errJobOver = errors.New("the job has ended")

// openFiles opens the files before any request is sent, so that problems with them are reported at once.
func (l *ScalarsOptions) openFiles() error {
	if l.dir != "" {
		_, host := access.Here()
		o, err := scalars.NewTensorBoard(l.dir, host, os.Getpid())
		if err != nil {
			return cli.Usage("--tensorboard: %w", err)
		}
		l.outputs = append(l.outputs, scalarsOutput{"tensorboard", o})
	}
	for _, file := range []struct {
		flag, path string
		form       scalars.Form
	}{{"csv", l.csv, scalars.CSV}, {"jsonl", l.jsonl, scalars.JSONLines}} {
		if file.path == "" {
			continue
		}
		o, err := l.openTable(file.path, file.form)
		if err != nil {
			return cli.Usage("--%s: %w", file.flag, err)
		}
		l.outputs = append(l.outputs, scalarsOutput{file.flag, o})
	}
	return nil
}

func (l *ScalarsOptions) openTable(path string, form scalars.Form) (*scalars.Table, error) {
	if path == "-" {
		return scalars.Stream(l.Out, form)
	}
	return scalars.Open(path, form)
}

// logSnapshot logs the new values of a Snapshot.
func (l *ScalarsOptions) logSnapshot(s *cluster.Snapshot) error {
	switch {
	case len(s.Jobs) == 0 && !l.begun:
		return l.emptyReason(s)
	case len(s.Jobs) == 0 && l.Config.Job != "" && s.Discovery.Failure == nil:
		return errJobOver
	case !l.begun:
		l.begun = true
		l.announceStart(s)
	}
	samples := l.log.Samples(s)
	for _, o := range l.outputs {
		if err := o.Write(samples); err != nil {
			return fmt.Errorf("--%s: %w", o.flag, err)
		}
	}
	return nil
}

// emptyReason returns why there is nothing to log.
func (l *ScalarsOptions) emptyReason(s *cluster.Snapshot) error {
	d := &s.Discovery
	if l.batch && !d.Answered.IsZero() {
		return cli.Exit(cli.ExitNoJobs, fmt.Errorf("job %q, which %s names, is not one of your running jobs",
			l.Config.Job,
			feed.BatchJob))
	}
	return feed.NoJob(&l.Config, s)
}

// announceStart announces on a terminal that logging has begun.
func (l *ScalarsOptions) announceStart(s *cluster.Snapshot) {
	if file, ok := l.Err.(*os.File); ok && cli.IsTerminal(file) {
		gpus := 0
		for i := range s.Jobs {
			gpus += s.Jobs[i].GPUs
		}
		fmt.Fprintf(file, "nvnodetop: logging %d GPUs every %v until Ctrl-C\n", gpus, l.Config.Poll)
	}
}
