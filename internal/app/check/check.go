// Package check is the command check: it looks at the nodes of a job before its program starts.
package check

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/joblog/runs"
	output "github.com/nvnodetop/nvnodetop/internal/output/check"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Name is the name of the command.
const Name = "check"

// exitFound is the exit code if something is wrong with a node.
const exitFound = 1

// patience is the longest wait for nodes and SLURM, unless the user chooses another: a batch script waits.
const patience = 8 * time.Second

// Options are the user's choices.
type Options struct {
	*cli.Program
	json    bool
	waiting string // the job of --waiting
}

// Command checks the nodes of a job.
func Command(io cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   Name,
		Short: "look for faults of a job's nodes before its program starts",
		Long: `check looks once at all nodes of the job in which it runs, and prints a line for
each finding: GPUs that are missing or have memory errors, links that are down or
narrow, processes that others have left, clocks, power limits and drivers that
differ between the nodes, full disks. Then it prints the option that leaves the
faulty nodes out of the next job, also those that failed in your last jobs.
Outside of a job it looks at this host, at the nodes of --job, or at --nodes. It
takes a few seconds, and ends after 8 s.

With --waiting it says why a job waits: what is ahead of it, and when SLURM would
start it as it is, with half of the nodes or GPUs, or with half of the time.

Exit codes: 0 nothing is wrong, 1 something is, 2 invalid arguments, 3 no such
job, no GPU here, or SLURM does not answer.`,
		Example: `  nvnodetop check || exit 1               in a batch script, above srun
  nvnodetop check --job 48211
  nvnodetop check --nodes 'gpu[01-04]'
  nvnodetop check --waiting 48212         when would it start, and with less`,
	}
	f := cmd.Flags()
	f.SortFlags = false
	o := &Options{}
	f.StringVar(&o.waiting, "waiting", "", "say why the job `ID` waits, and when it would start with less")
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.Program = cli.New(io, f, "nodes", "login", "transport", "timeout", "log", "demo")
	cli.JobFlag(f, o.Program)
	cmd.Args = o.Args(cli.NoArguments)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return o.loadOptions(cmd.Context()) }
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return o.Logged(func(log *slog.Logger) error {
			if o.waiting != "" {
				return o.sayWhyItWaits(cmd.Context(), log)
			}
			return o.run(cmd.Context(), log)
		})
	}
	return cmd
}

// loadOptions reads the command line and the settings.
func (o *Options) loadOptions(ctx context.Context) error {
	if o.Changed("job") && o.Config.Nodes != "" {
		return errors.New("--job and --nodes cannot be combined")
	}
	if o.Changed("waiting") {
		if err := o.checkWaiting(); err != nil {
			return err
		}
		return o.Accept()
	}
	feed.OwnJob(ctx, o.Program)
	if err := o.Accept(); err != nil {
		return err
	}
	if !o.Changed("timeout") {
		o.Config.Timeout = min(o.Config.Timeout, patience)
	}
	return nil
}

// run looks at the nodes.
func (o *Options) run(ctx context.Context, log *slog.Logger) error {
	began, found := time.Now(), false
	need := feed.Once(o.Program)
	out := feed.Printed(o.Program, need, func(s *cluster.Snapshot) error {
		if len(s.Jobs) == 0 {
			return feed.NoJob(&o.Config, s)
		}
		r := output.Judge(s, health.Rules(o.Config.Thresholds), time.Since(began), o.earlierRuns(s.At))
		found = r.Found()
		return o.print(r)
	}, func(*cluster.Snapshot) error {
		if found {
			return cli.Exit(exitFound, nil)
		}
		return nil
	})
	cfg := &o.Config
	if cfg.Job != "" || cfg.Nodes != "" || cfg.Demo != "" || cfg.Login != "" {
		return feed.Run(ctx, o.Program, need, log, out)
	}
	from, err := feed.OwnGPUs(ctx, cfg, need, log)
	if err != nil {
		return cli.Exit(cli.ExitNoJobs,
			fmt.Errorf("nothing to check on this host: %w: name a job with --job, or hosts with --nodes", err))
	}
	return out(ctx, from)
}

// earlierRuns returns what is kept of the user's jobs. Without it, nothing is said of them.
func (o *Options) earlierRuns(now time.Time) []runs.Run {
	if !o.Config.Runs || o.Config.Demo != "" {
		return nil
	}
	path, err := config.RunsFile()
	if err != nil {
		return nil
	}
	all, _ := runs.Read(path, now)
	return all
}

func (o *Options) print(r *output.Report) error {
	if r.Program = wire.BuildVersion(); o.json {
		return output.JSON(o.Out, r)
	}
	return output.Text(o.Out, r)
}
