package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/access"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/scalars"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
)

const scalarsName = "log"

// scalarsFlags are flags of the program that log takes.
var scalarsFlags = []string{"nodes", "login", "transport", "timeout", "log", "demo"}

// The intervals of log, in seconds and at least: TensorBoard counts whole seconds.
const (
	defaultLogEvery = "10"
	leastLogEvery   = time.Second
)

// batchJob is the variable that names the job in which the program runs.
const batchJob = "SLURM_JOB_ID"

// scalarLog is the command that appends scalars to files.
type scalarLog struct {
	cfg   *config.Config
	io    streams
	flags *pflag.FlagSet

	dir, csv, jsonl string
	seconds         string
	every           time.Duration

	batch   bool // the job is that of batchJob
	outputs []output
	log     *scalars.Log
	begun   bool
}

// output is a file, with the flag that names it.
type output struct {
	flag string
	scalars.Output
}

func scalarsCommand(cfg *config.Config, flags *pflag.FlagSet, io streams) *cobra.Command {
	l := &scalarLog{cfg: cfg, io: io}
	var from *config.Origins
	cmd := &cobra.Command{
		Use:   scalarsName,
		Short: "append numbers over time to files, for TensorBoard, as CSV or JSON lines",
		Long: `log appends the numbers of each GPU, by the rank that runs on it, to the files that are named, until it is interrupted or the job ends: event
files that TensorBoard shows, CSV, or JSON lines. Several kinds can be written at once.

It logs your running jobs, and inside a job this job only. An existing CSV or JSON lines file is continued; one that holds something else is refused.`,
		Example: `  nvnodetop log --tensorboard runs                your jobs, each in a directory of its own
  nvnodetop log --job 48211 --csv gpus.csv        one job, until it ends
  nvnodetop log --jsonl - --interval 1 | jq .     as a stream
  nvnodetop log --tensorboard runs &              in a batch script, before srun`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("demo") {
				args = cfg.TakeDemoSize(args)
			}
			return noArguments(args)
		},
		PreRunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err = l.choose(); err != nil {
				return err
			}
			if from, err = accept(cfg, cmd.Flags(), nil, io); err != nil {
				return err
			}
			l.every = max(l.every, cfg.PollFloor) // the system's file may set it
			cfg.Poll = l.every
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return logged(cfg, from, func(log *slog.Logger) error { return l.run(cmd.Context(), log) })
		},
	}
	l.flags = cmd.Flags()
	l.add(cmd.Flags())
	for _, name := range scalarsFlags {
		cmd.Flags().AddFlag(flags.Lookup(name))
	}
	return cmd
}

func (l *scalarLog) add(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&l.dir, "tensorboard", "", "write event files into `DIR`, in a directory for each job")
	f.StringVar(&l.csv, "csv", "", "append CSV to `FILE`; - is the standard output")
	f.StringVar(&l.jsonl, "jsonl", "", "append JSON, an object in each line, to `FILE`; - is the standard output")
	f.StringVar(&l.seconds, intervalFlag, defaultLogEvery, "read and log every `SECONDS`")
	f.StringVar(&l.cfg.Job, "job", "", "log the job `ID` only, and end with it")
}

// choose checks which files are wanted, and of which job.
func (l *scalarLog) choose() (err error) {
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
	if l.every, err = secondsOf(l.cfg, intervalFlag, l.seconds, leastLogEvery); err != nil {
		return err
	}
	l.cfg.JSON, l.cfg.Steady = true, true // no histories, and nobody presses a key
	l.batch = ownJob(l.cfg, l.flags)
	return nil
}

// ownJob chooses the job in which the program runs, where the user names nothing else: of many scripts each watches its
// own job. It reports whether it has. Without SLURM, as in most containers, nobody can be asked for the job, and this
// host is watched.
func ownJob(cfg *config.Config, flags *pflag.FlagSet) bool {
	job := os.Getenv(batchJob)
	named := flags.Changed("job") || cfg.Nodes != "" || cfg.Demo != "" || cfg.Login != ""
	if job == "" || named || !slurm.Installed() {
		return false
	}
	cfg.Job = job
	return true
}

func (l *scalarLog) run(ctx context.Context, log *slog.Logger) (err error) {
	defer func() {
		for _, o := range l.outputs {
			if wrong := o.Close(); wrong != nil && err == nil {
				err = failed(fmt.Errorf("--%s: %w", o.flag, wrong))
			}
		}
	}()
	if err := l.open(); err != nil {
		return err
	}
	l.log = scalars.New(l.every)
	err = fed(ctx, l.cfg, l.io, log, func(ctx context.Context, cfg *config.Config, _ streams, from feed) error {
		return follow(ctx, cfg, from, l.every/2, l.see) // twice per report, so that none is missed
	})
	if errors.Is(err, errJobOver) {
		return nil
	}
	return err
}

// errJobOver says that the job has ended that was to be logged.
var errJobOver = errors.New("the job has ended")

// open opens the files before anything is asked: what is wrong with them is said at once.
func (l *scalarLog) open() error {
	if l.dir != "" {
		_, host := access.Here()
		o, err := scalars.NewTensorBoard(l.dir, host, os.Getpid())
		if err != nil {
			return usage("--tensorboard: %w", err)
		}
		l.outputs = append(l.outputs, output{"tensorboard", o})
	}
	for _, file := range []struct {
		flag, path string
		form       scalars.Form
	}{{"csv", l.csv, scalars.CSV}, {"jsonl", l.jsonl, scalars.JSONLines}} {
		if file.path == "" {
			continue
		}
		o, err := l.table(file.path, file.form)
		if err != nil {
			return usage("--%s: %w", file.flag, err)
		}
		l.outputs = append(l.outputs, output{file.flag, o})
	}
	return nil
}

func (l *scalarLog) table(path string, form scalars.Form) (*scalars.Table, error) {
	if path == "-" {
		return scalars.Stream(l.io.out, form)
	}
	return scalars.Open(path, form)
}

// see logs what is new in a Snapshot.
func (l *scalarLog) see(s *cluster.Snapshot) error {
	switch {
	case len(s.Jobs) == 0 && !l.begun:
		return l.nothing(s)
	case len(s.Jobs) == 0 && l.cfg.Job != "" && s.Discovery.Failure == nil:
		return errJobOver
	case !l.begun:
		l.begun = true
		l.greet(s)
	}
	samples := l.log.Samples(s)
	for _, o := range l.outputs {
		if err := o.Write(samples); err != nil {
			return fmt.Errorf("--%s: %w", o.flag, err)
		}
	}
	return nil
}

// nothing is why there is nothing to log.
func (l *scalarLog) nothing(s *cluster.Snapshot) error {
	d := &s.Discovery
	switch {
	case d.Command != "" && d.Asked.IsZero():
		return &exitError{exitNoJobs, fmt.Errorf("%s: %w", d.Command, command.Late(l.cfg.Timeout))}
	case l.batch && !d.Answered.IsZero():
		return &exitError{exitNoJobs, fmt.Errorf("job %q, which %s names, is not one of your running jobs", l.cfg.Job,
			batchJob)}
	}
	return noJob(l.cfg, s)
}

// greet says on a terminal that it has begun.
func (l *scalarLog) greet(s *cluster.Snapshot) {
	if file, ok := l.io.err.(*os.File); ok && isTerminal(file) {
		gpus := 0
		for i := range s.Jobs {
			gpus += s.Jobs[i].GPUs
		}
		fmt.Fprintf(file, "nvnodetop: logging %d GPUs every %v until Ctrl-C\n", gpus, l.every)
	}
}
