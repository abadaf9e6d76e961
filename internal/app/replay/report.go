package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/recording"
	"github.com/nvnodetop/nvnodetop/internal/report"
)

// reportOf prints the report of a job, from the Events of a recording. The report of a damaged recording ends at the
// damage.
func (o *Options) reportOf(ctx context.Context, r *recording.Reader) error {
	job, err := jobOf(ctx, r, o.job)
	if err != nil {
		return cli.Exit(cli.ExitNoJobs, err)
	}
	seen := report.New(job, r.Header.Poll, health.Rules(o.Config.Thresholds))
	damaged := r.Run(ctx, seen.Apply)
	if ctx.Err() != nil {
		return cli.Exit(cli.ExitFailed, cli.ErrInterrupted)
	}
	made := seen.Report()
	if made == nil {
		return cli.Exit(cli.ExitNoJobs, fmt.Errorf("no job %q has run in the recording", job))
	}
	err = o.Report(nil, o.report, made)
	if damaged != nil {
		err = cli.Exit(cli.ExitFailed, damaged)
	}
	return err
}

// jobOf returns the job to report on: the job that the user has named, or the only job of the recording.
func jobOf(ctx context.Context, r *recording.Reader, named string) (string, error) {
	if named != "" {
		return named, nil
	}
	var ids []string
	_ = r.Run(ctx, func(e cluster.Event) { // the report mentions damage
		if e.Discovery == nil {
			return
		}
		for i := range e.Discovery.Jobs {
			if id := e.Discovery.Jobs[i].ID; !slices.Contains(ids, id) && len(ids) < mostNamed {
				ids = append(ids, id)
			}
		}
	})
	switch len(ids) {
	case 0:
		return "", errors.New("no job has run in the recording")
	case 1:
		return ids[0], nil
	}
	return "", fmt.Errorf("the recording has several jobs: name one with --job: %s", strings.Join(ids, ", "))
}

// mostNamed is the number of jobs that are offered for a choice.
const mostNamed = 20
