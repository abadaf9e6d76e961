package report

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/output/report/books"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Ended returns a function that makes reports of the user's ended jobs, for a screen. It uses what the screen's feed
// can ask, over the connections that the feed has.
func Ended(p *cli.Program, from feed.Feed) func(ctx context.Context, job string) (*report.Report, error) {
	return func(ctx context.Context, id string) (*report.Report, error) {
		jobs, err := feed.SettleAccounts(ctx, p.Config.Timeout, accountingLags(p),
			func(ctx context.Context) ([]sacct.Job, error) {
				return from.Accounts(ctx, id)
			})
		switch {
		case err != nil:
			return nil, err
		case len(jobs) == 0:
			return nil, notShown(id)
		case len(jobs) > 1:
			return nil, severalParts(id, jobs)
		}
		made := ofEnded(ctx, p, "", id, &jobs[0])
		if made.Job.Cause == "" && !cluster.EndState(jobs[0].State).SaysWhy() && jobs[0].Ran() {
			made.Job.Cause, _ = joblog.Why(ctx, id, from.Log) // without a log the job has failed for no known reason
		}
		return made, nil
	}
}

// ofEnded returns the report of a job, from a recording in a directory and from what SLURM has counted; with "" it
// looks in the usual directories.
func ofEnded(ctx context.Context, p *cli.Program, dir, id string, j *sacct.Job) *report.Report {
	return addKnown(p, cmp.Or(ownRecording(ctx, p, dir, id, j), books.Make(j, time.Now())))
}

func notShown(id string) error { return fmt.Errorf("SLURM's accounting does not show job %q", id) }

func severalParts(id string, jobs []sacct.Job) error {
	return fmt.Errorf("job %q has several parts: name one of them, e.g. %s", id, jobs[0].ID)
}
