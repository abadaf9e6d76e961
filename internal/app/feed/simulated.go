package feed

import (
	"context"
	"log/slog"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/source"
)

// SimulatedJobs returns what the accounting of the demo has counted for these jobs; without IDs, for all.
func SimulatedJobs(ctx context.Context, p *cli.Program, ids ...string) (jobs []sacct.Job, err error) {
	if len(ids) == 0 {
		ids = []string{""}
	}
	err = askDemo(ctx, p, func(from Feed) error {
		for _, id := range ids {
			counted, err := from.Accounts(ctx, id)
			if err != nil {
				return err
			}
			jobs = append(jobs, counted...)
		}
		return nil
	})
	return jobs, err
}

// simulatedCause says why a job of the demo failed, from the end of its log; "": the log does not say.
func simulatedCause(ctx context.Context, p *cli.Program, job string) (cause string) {
	_ = askDemo(ctx, p, func(from Feed) error { // without an answer there is no cause
		cause, _ = joblog.Why(ctx, job, from.Log)
		return nil
	})
	return cause
}

// askDemo runs a demo for the time of a question.
func askDemo(ctx context.Context, p *cli.Program, question func(from Feed) error) error {
	from, err := Choose(ctx, p, Need{Brief: true}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	run := source.StartSession(ctx, from)
	err = question(from)
	_ = run.Stop(ShortParting)
	return err
}
