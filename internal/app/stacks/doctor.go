package stacks

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/output/doctor"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Exit codes of the doctor.
const (
	exitWarnings = 1
	exitSick     = 2 // something failed
)

// DoctorCommand examines the connections to nodes.
func DoctorCommand(io cli.Streams) *cobra.Command {
	var json bool
	var job string
	cmd := &cobra.Command{
		Use:   "doctor [NODE…]",
		Short: "examine the connections to nodes, step by step",
		Long: `doctor tries every transport to the NODEs, or to the first nodes of your running
jobs, and prints each step with its verdict: ok, warning, failed or skipped. It
says which transport nvnodetop would use, and what to do about the others. NODE
may be a list, such as gpu[01-04]. With --job it examines the first nodes of one
job, and says what every rank of it does, and whether it hangs.

Exit codes: 0 all is well, 1 warnings, 2 something failed.`,
		Example: `  nvnodetop doctor
  nvnodetop doctor 'gpu[01-04]'
  nvnodetop doctor --job 48211`,
	}
	p := cli.New(io, cmd.Flags(), "transport", "login", "ascii")
	cmd.Flags().BoolVar(&json, "json", false, "print everything as JSON and exit")
	cmd.Flags().StringVar(&job, "job", "", "examine the nodes and the ranks of the job `ID`")
	cmd.Args = p.Args(func(args []string) error {
		switch named := cmd.Flags().Changed("job"); {
		case named && job == "": // "$UNSET" in a script must not mean: all
			return errors.New("the ID of the job is empty")
		case named && len(args) > 0:
			return errors.New("--job takes the nodes from SLURM: it cannot be combined with a NODE")
		}
		p.Config.Job = job
		return nil
	})
	cmd.PreRunE = func(*cobra.Command, []string) error { return p.Accept() }
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		names, err := cli.Hosts("NODE", strings.Join(args, ","))
		if err != nil {
			return err
		}
		return examineNodes(cmd.Context(), p, names, json)
	}
	return cmd
}

// examineNodes examines the connections to nodes, and prints the report. If it is interrupted, it prints what is known
// so far.
func examineNodes(ctx context.Context, p *cli.Program, names []string, json bool) error {
	began, cfg, log := time.Now(), &p.Config, slog.New(slog.DiscardHandler)
	if err := feed.NameJobs(ctx, p, log, &cfg.Job); err != nil {
		return err
	}
	a, err := access.New(ctx, cfg, log)
	if err != nil {
		return cli.Exit(exitSick, err)
	}
	defer a.Close()
	var heard *source.EarlyAnswer
	if slices.ContainsFunc(a.Doors, func(d remote.Candidate) bool { return d.Name == config.SSH }) {
		heard, _ = feed.Prepare(ctx, a.Native, p.Streams, names, a.Client, nil) // the report has the error
	}
	_, here := access.Here()
	o := &doctor.Options{
		Facts: doctor.Facts{
			At: began, Program: wire.BuildVersion(), User: a.User, Host: here, Login: cfg.Login,
			ClockLimit: time.Duration(cfg.Thresholds[health.ClockSkewSeconds] * float64(time.Second)),
			Job:        doctor.AskedJob{ID: cfg.Job},
		},
		Names: names, Run: a.Commands, Client: a.Client,
		Doors: a.Doors, Favorite: a.Favorite, Know: a.Know,
	}
	o.Stacks = func(ctx context.Context) (*rankstacks.Verdict, error) {
		return Once(ctx, p, feed.JobsOf(p, a, feed.Need{Brief: true, Steady: true}))
	}
	if heard != nil {
		o.Heard = &doctor.SqueueAnswer{Answer: heard.Answer, Err: heard.Err, Took: heard.Took}
	}
	if cfg.Login == "" {
		o.Slurm.Cluster = slurm.ClusterName("")
	}
	line := cli.NewStatus(p.Err)
	o.Progress = line.Set
	report := doctor.Judge(doctor.Collect(ctx, o))
	line.Erase()
	if err := printReport(p, report, json); err != nil {
		return cli.Exit(exitSick, err)
	}
	switch {
	case ctx.Err() != nil:
		return cli.Exit(exitSick, cli.ErrInterrupted)
	case report.Verdict == doctor.Failed:
		return cli.Exit(exitSick, nil)
	case report.Verdict == doctor.Warning:
		return cli.Exit(exitWarnings, nil)
	}
	return nil
}

func printReport(p *cli.Program, r *doctor.Report, json bool) error {
	if json {
		return doctor.JSON(p.Out, r)
	}
	return doctor.Text(p.Out, r, colorprofile.Detect(p.Out, os.Environ()), cli.ASCII(&p.Config))
}
