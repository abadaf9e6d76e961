package report

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/joblog/runs"
	"github.com/nvnodetop/nvnodetop/internal/output/report/books"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// listPatience is how many times longer a list may take than one job: months of jobs are requested in parts.
const listPatience = 8

// listOf returns the list of jobs.
func listOf(ctx context.Context, p *cli.Program, log *slog.Logger, q sacct.Query) (*report.List, error) {
	line := cli.NewStatus(p.Err)
	line.Set("asking SLURM's accounting")
	made := books.NewListing(q.User, q.From, q.To)
	err := askList(ctx, p, log, q, made.Add)
	line.Erase()
	if err != nil {
		return nil, accountingError(err)
	}
	list, more := made.List()
	if more > 0 {
		p.Say("%d more jobs are left out: ask for fewer days", more)
	}
	return list, nil
}

// askList passes the jobs of a list to a taker.
func askList(ctx context.Context, p *cli.Program, log *slog.Logger, q sacct.Query, take func([]sacct.Job)) error {
	if p.Config.Demo != "" {
		jobs, err := feed.SimulatedJobs(ctx, p)
		take(jobs)
		return err
	}
	return feed.AskAccounts(ctx, p, log, listPatience*p.Config.Timeout,
		func(ctx context.Context, run command.Runner) error { return sacct.Each(ctx, run, q, take) })
}

// accountingError returns the error of a question to the accounting.
func accountingError(err error) error {
	if errors.Is(err, cli.ErrInterrupted) {
		return cli.Exit(cli.ExitFailed, err)
	}
	return cli.Exit(cli.ExitNoJobs, err)
}

// askEnded asks for an ended job, or for the parts of one.
func askEnded(ctx context.Context, p *cli.Program, log *slog.Logger, id string) ([]sacct.Job, error) {
	return feed.SettledJobs(ctx, p, log, accountingLags(p), id)
}

// accountingLags returns a function that reports whether the accounting still shows a job as running: a job that is
// asked for has ended.
func accountingLags(p *cli.Program) func([]sacct.Job) bool {
	return func(jobs []sacct.Job) bool { return len(jobs) == 1 && feed.IsRunning(&jobs[0], p.Me()) }
}

// addKnown adds what only this user's side knows of a job: its cost, with the site's prices, and its pace, beside an
// earlier run of the same program.
func addKnown(p *cli.Program, r *report.Report) *report.Report {
	r.Cost = books.CostOf(r, (*books.Prices)(&p.Config.Prices))
	if path, err := config.RunsFile(); err == nil && p.Config.Runs {
		all, _ := runs.Read(path, time.Now()) // without them the report is complete
		r.Pace = paceOf(&r.Job, all)
	}
	return r
}

// paceOf returns the pace of a job; nil: nothing was kept of it.
func paceOf(j *report.Job, all []runs.Run) *report.Pace {
	at := slices.IndexFunc(all, func(r runs.Run) bool {
		return r.Job == j.ID && r.User == j.User && !r.Seen.Before(j.Start)
	})
	if at < 0 {
		return nil
	}
	pace := &report.Pace{SecondsPerStep: all[at].SecondsPerStep}
	if c := runs.Compare(all, all[at]); c != nil {
		pace.Earlier = &report.EarlierRun{Job: c.Before.Job, Seen: c.Before.Seen.UTC(),
			SecondsPerStep: c.Before.SecondsPerStep}
	}
	return pace
}
