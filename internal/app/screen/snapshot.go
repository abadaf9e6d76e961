package screen

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// snapshotFlags are the shared flags of snapshot. Flags about the look apply to text only.
var snapshotFlags = append([]string{"demo", "nodes", "transport", "login", "timeout", cli.FirstSample, cli.MaxAge,
	"log"}, cli.DrawFlags...)

// SnapshotOptions are the user's choices for a Snapshot.
type SnapshotOptions struct {
	format  string
	metrics cli.SeriesChoice // for Prometheus
	details bool             // for JSON
	look    TextFormat
}

// SnapshotCommand prints one Snapshot.
func SnapshotCommand(io cli.Streams) *cobra.Command {
	var o SnapshotOptions
	cmd := &cobra.Command{
		Use:   "snapshot",
		Short: "print the present state as text, JSON, CSV or Prometheus metrics",
		Long: `snapshot waits until every node has reported twice, a second apart, or has
failed, at most --timeout, and prints what is known then: as text (what --once
prints), as JSON (what --json prints), as CSV with a line for each GPU, or in
the text format of Prometheus.

Exit codes: 0 every node and GPU reports, 1 a node or a GPU of a job does not
or a problem is critical, 2 invalid arguments, 3 no running job or no answer
from SLURM.`,
		Example: `  nvnodetop snapshot --format csv > gpus.csv
  nvnodetop snapshot --format prometheus --metrics-names dcgm`,
	}
	f := cmd.Flags()
	p := cli.New(io, f, snapshotFlags...)
	only := cli.AddGPUSelection(f)
	f.StringVar(&o.format, "format", "text", "print `FORMAT`: text, json, csv or prometheus")
	o.metrics.AddFlags(f)
	DetailsFlag(f, &o.details)
	cmd.Args = p.Args(cli.NoArguments)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if err := o.checkFlags(f); err != nil {
			return err
		}
		if err := p.Accept(); err != nil {
			return err
		}
		choice, err := only.Choose(cmd.Context(), p, o.format != "text")
		o.look.Selection = choice
		return err
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		need := feed.Once(p)
		need.Brief, need.Tails = o.format != "text", o.format != "csv"
		return p.Logged(func(log *slog.Logger) error {
			return feed.Run(cmd.Context(), p, need, log, func(ctx context.Context, from feed.Feed) error {
				print := func(s *cluster.Snapshot) error { return o.printSnapshot(p, s, AskDetails(ctx, p, from, o.details)) }
				return feed.Printed(p, need, print, feed.Verdict)(ctx, from)
			})
		})
	}
	return cmd
}

// checkFlags checks the flags that only snapshot has.
func (o *SnapshotOptions) checkFlags(f *pflag.FlagSet) error {
	if err := cli.OneOf("format", o.format, "text", "json", "csv", "prometheus"); err != nil {
		return err
	}
	switch {
	case f.Changed("metrics-names") && o.format != "prometheus":
		return errors.New("--metrics-names is for --format prometheus")
	case f.Changed("metrics") && o.format != "prometheus":
		return errors.New("--metrics is for --format prometheus")
	case o.metrics.Processes && o.format != "prometheus":
		return errors.New("--processes is for --format prometheus: text and JSON have them")
	case o.details && o.format != "json":
		return errors.New("--details is for --format json")
	case f.Changed("only") && o.format != "text":
		return errors.New("--only is for --format text: the other formats have every GPU")
	}
	return o.metrics.Check()
}

// printSnapshot prints a Snapshot in the chosen format. more adds to JSON.
func (o *SnapshotOptions) printSnapshot(p *cli.Program, s *cluster.Snapshot, more func(*schema.Snapshot)) error {
	switch o.format {
	case "csv":
		return export.CSV(p.Out, s)
	case "prometheus":
		if err := export.Prometheus(p.Out, s, o.metrics.Names, o.metrics.Which); err != nil ||
			!o.metrics.Processes {
			return err
		}
		return export.PrometheusProcesses(p.Out, s, o.metrics.Names)
	case "json":
		return PrintJSON(p, s, &o.look.Selection, more)
	}
	return o.look.Text(p, s)
}
