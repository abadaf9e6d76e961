package app

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/config"
)

// configCommand prints the settings that a run with the same flags and arguments would have.
func configCommand(io cli.Streams) *cobra.Command {
	var check, built bool
	cmd := &cobra.Command{
		Use:   "config [POLL [DISPLAY]]",
		Short: "print the settings, and where each of them comes from",
		Args:  func(_ *cobra.Command, args []string) error { return cli.AtMostIntervals(args) },
	}
	p := cli.New(io, cmd.Flags(), cli.Settings()...)
	cmd.Flags().BoolVar(&check, "check", false,
		"only check the settings: exit code 2 also for a key that this version does not know")
	cmd.Flags().BoolVar(&built, "build", false, "print the version, and the probes that this program copies to nodes")
	cmd.MarkFlagsMutuallyExclusive("check", "build")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if built {
			return printBuild(p.Out)
		}
		origins, err := p.Load(cli.Intervals(args)...)
		switch {
		case err != nil:
			return err
		case check:
			return reportIgnored(p, origins)
		}
		return cli.Failed(p.Config.Print(p.Out, origins))
	}
	return cmd
}

// reportIgnored reports what was passed over, or that nothing was. Other mistakes have already ended the command.
func reportIgnored(p *cli.Program, o *config.Origins) error {
	if len(o.PassedOver) > 0 {
		for _, line := range o.PassedOver {
			p.Say("%s", line)
		}
		return cli.Exit(cli.ExitUsage, nil)
	}
	for _, path := range o.Files {
		if _, err := fmt.Fprintf(p.Out, "%s: no mistake\n", path); err != nil {
			return cli.Failed(err)
		}
	}
	return nil
}
