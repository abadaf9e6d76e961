package track

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/source/mark"
)

// MarkName is the name of the command.
const MarkName = "mark"

// MarkCommand notes a part of a program.
func MarkCommand(cli.Streams) *cobra.Command {
	var job string
	cmd := &cobra.Command{
		Use:   MarkName + " [begin|end] NAME",
		Short: "tag a part of a job's work, for reports, recordings and scalars",
		Long: `mark notes from a script or a program that a part of its work begins or ends, or
that something happens. The report of the job, that of track, recordings and
scalars then have it: how long the part took, what its GPUs did and the energy.

It belongs to the job in which it runs, or to the command of nvnodetop track.`,
		Example: `  nvnodetop mark begin "epoch 3"; …; nvnodetop mark end "epoch 3"
  nvnodetop mark checkpoint`,
	}
	cmd.Flags().StringVar(&job, "job", "", "mark in the job with this number, `ID`, in place of its own")
	cmd.Args = func(_ *cobra.Command, args []string) error {
		_, _, err := parseMark(args)
		return err
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		kind, name, _ := parseMark(args)
		id := mark.ID()
		if cmd.Flags().Changed("job") {
			number, err := markNumber(cmd.Context(), job)
			if err != nil {
				return cli.Exit(cli.ExitFailed, fmt.Errorf("the mark is lost: %w", err))
			}
			id = number
		}
		switch {
		case id == "":
			return cli.Usage("mark needs a job: run it in one, or in a command of nvnodetop track, or name one with " +
				"--job ID")
		case !mark.Valid(id):
			return cli.Usage("%q is not the number of a job", id)
		}
		dir, err := config.MarkDir()
		if err == nil {
			err = mark.Write(dir, &cluster.Mark{Job: id, Name: name, Kind: kind, At: time.Now(), By: mark.By()})
		}
		if err != nil {
			return cli.Exit(cli.ExitFailed, fmt.Errorf("the mark is lost: %w", err))
		}
		return nil
	}
	return cmd
}

// markNumber returns the number of the job with a SLUID. All other texts stay.
func markNumber(ctx context.Context, job string) (string, error) {
	if !slurm.IsSLUID(job) {
		return job, nil
	}
	_, number, err := slurm.FindSLUID(ctx, command.Run, job)
	return number, err
}

// parseMark reads the arguments of the command.
func parseMark(args []string) (kind cluster.MarkKind, name string, err error) {
	switch {
	case len(args) == 2 && (args[0] == string(cluster.Begins) || args[0] == string(cluster.Ends)):
		kind, name = cluster.MarkKind(args[0]), args[1]
	case len(args) == 1 && args[0] != string(cluster.Begins) && args[0] != string(cluster.Ends):
		name = args[0]
	default:
		return "", "", cli.Usage("mark takes begin NAME, end NAME or one WORD, such as begin epoch, not %q",
			strings.Join(args, " "))
	}
	if err := mark.CheckName(name); err != nil {
		return "", "", cli.Usage("%w", err)
	}
	return kind, name, nil
}
