package feed

import (
	"context"
	"log/slog"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
)

// NameJobs replaces SLUIDs with the IDs of their jobs, as squeue prints them. All other texts stay. SLURM is asked once
// for each SLUID. nvnodetop uses SLUIDs nowhere else.
func NameJobs(ctx context.Context, p *cli.Program, log *slog.Logger, jobs ...*string) error {
	ids := map[string]string{}
	for _, job := range jobs {
		if slurm.IsSLUID(*job) && p.Config.Demo == "" {
			ids[*job] = ""
		}
	}
	if len(ids) == 0 || access.OnlyHere(&p.Config) {
		return nil
	}
	ways, err := access.New(ctx, &p.Config, log)
	if err != nil {
		return cli.Exit(cli.ExitFailed, err)
	}
	defer ways.Close()
	if at := NewTerminal(p.Streams); at != nil && p.Config.Login != "" {
		if err := ways.Native.Prepare(ctx, at, nil); err != nil {
			return cli.Exit(cli.ExitFailed, err)
		}
	}
	for sluid := range ids {
		if ids[sluid], _, err = slurm.FindSLUID(ctx, ways.Commands, sluid); err != nil {
			return cli.Exit(cli.ExitNoJobs, err)
		}
	}
	for _, job := range jobs {
		if id, is := ids[*job]; is {
			*job = id
		}
	}
	return nil
}
