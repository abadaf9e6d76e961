package app

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/export"
)

// snapshotFlags are those of the program that snapshot takes. What is about the look counts for text only.
var snapshotFlags = []string{
	"demo", "nodes", "transport", "login", "timeout", firstSample, "log", "only", "theme", "colors", "gpu-util-thresh",
	"mem-util-thresh", "ascii",
}

// snapshotCommand prints one Snapshot.
func snapshotCommand(cfg *config.Config, only *narrow, flags *pflag.FlagSet, io streams) *cobra.Command {
	var format, names string
	var from *config.Origins
	cmd := &cobra.Command{
		Use:   "snapshot",
		Short: "print what is known now as text, JSON or CSV, or for Prometheus",
		Long: `snapshot waits until every node has reported twice, a second apart, or has failed, at most --timeout, and prints what is known then: as text
(what --once prints), as JSON (what --json prints), as CSV with a line for each GPU, or in the text format of Prometheus.

Exit codes: 0 every node and GPU reports, 1 a node or a GPU of a job does not, 2 invalid arguments, 3 no running job or no answer from SLURM.`,
		Example: `  nvnodetop snapshot --format csv > gpus.csv
  nvnodetop snapshot --format prometheus --metrics-names dcgm`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("demo") {
				args = cfg.TakeDemoSize(args)
			}
			return noArguments(args)
		},
		PreRunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err := checkFormat(cmd.Flags(), format, names); err != nil {
				return err
			}
			cfg.Once, cfg.JSON = format == "text", format != "text"
			if from, err = accept(cfg, cmd.Flags(), nil, io); err != nil {
				return err
			}
			return only.apply(cfg)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			sampleTwice(cfg)
			return logged(cfg, from, func(log *slog.Logger) error {
				return fed(cmd.Context(), cfg, io, log, printed(printerOf(format, export.Names(names))))
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&format, "format", "text", "print `FORMAT`: text, json, csv or prometheus")
	f.StringVar(&names, "metrics-names", string(export.OwnNames),
		"`NAMES` of the metrics for Prometheus: nvnodetop (in base units) or dcgm (DCGM's, where it has the metric)")
	for _, name := range snapshotFlags {
		f.AddFlag(flags.Lookup(name))
	}
	return cmd
}

// checkFormat checks what only snapshot has.
func checkFormat(f *pflag.FlagSet, format, names string) error {
	switch {
	case !slices.Contains([]string{"text", "json", "csv", "prometheus"}, format):
		return fmt.Errorf("--format must be text, json, csv or prometheus, not %q", format)
	case f.Changed("metrics-names") && format != "prometheus":
		return errors.New("--metrics-names is for --format prometheus")
	case f.Changed("only") && format != "text":
		return errors.New("--only is for --format text: the other formats have every GPU")
	}
	return checkNames(names)
}

// checkNames checks the value of --metrics-names.
func checkNames(names string) error {
	if !slices.Contains([]export.Names{export.OwnNames, export.DCGMNames}, export.Names(names)) {
		return fmt.Errorf("--metrics-names must be nvnodetop or dcgm, not %q", names)
	}
	return nil
}

// printerOf prints a Snapshot in a format.
func printerOf(format string, names export.Names) func(*config.Config, streams, *cluster.Snapshot) error {
	switch format {
	case "csv":
		return func(_ *config.Config, io streams, s *cluster.Snapshot) error { return export.CSV(io.out, s) }
	case "prometheus":
		return func(_ *config.Config, io streams, s *cluster.Snapshot) error {
			return export.Prometheus(io.out, s, names)
		}
	}
	return printOnce
}
