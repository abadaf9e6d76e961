package report

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/access"
	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/report/books"
	"github.com/nvnodetop/nvnodetop/internal/report/cost"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// listPatience is how much longer than one job's a list may take: months of jobs are asked for in parts.
const listPatience = 8

// ask asks SLURM's accounting.
func ask(ctx context.Context, p *cli.Program, log *slog.Logger, q sacct.Query) ([]sacct.Job, error) {
	ways, err := access.New(ctx, &p.Config, log)
	if err != nil {
		return nil, err
	}
	defer ways.Close()
	if at := feed.NewTerminal(p.Streams); at != nil && p.Config.Login != "" {
		if err := ways.Native.Prepare(ctx, at, nil); err != nil {
			return nil, err
		}
	}
	patience := p.Config.Timeout
	if len(q.IDs) == 0 {
		patience *= listPatience
	}
	inTime, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	jobs, err := sacct.Ask(inTime, ways.Commands, q)
	switch {
	case ctx.Err() != nil:
		return nil, cli.ErrInterrupted
	case inTime.Err() != nil:
		return nil, fmt.Errorf("SLURM's accounting did not answer within %v", patience)
	}
	return jobs, err
}

// listOf returns the list of jobs.
func listOf(ctx context.Context, p *cli.Program, log *slog.Logger, q sacct.Query) (*report.List, error) {
	line := cli.NewStatus(p.Err)
	line.Set("asking SLURM's accounting")
	jobs, err := ask(ctx, p, log, q)
	line.Erase()
	if err != nil {
		return nil, refused(err)
	}
	return books.List(jobs, q.User, q.From, q.To), nil
}

// refused is the error of a question to the accounting.
func refused(err error) error {
	if errors.Is(err, cli.ErrInterrupted) {
		return cli.Exit(cli.ExitFailed, err)
	}
	return cli.Exit(cli.ExitNoJobs, err)
}

// Times in which SLURM's database learns that a job has ended.
const (
	lag   = 10 * time.Second
	again = 2 * time.Second
)

// settled asks for jobs, again while the database lags behind the controller: the job has ended, and is running there.
func settled(ctx context.Context, p *cli.Program, log *slog.Logger, id string) ([]sacct.Job, error) {
	for began := time.Now(); ; {
		jobs, err := ask(ctx, p, log, sacct.Query{IDs: []string{id}})
		jobs = sacct.Last(jobs)
		late := len(jobs) == 1 && jobs[0].User == p.Me() && jobs[0].End.IsZero() && !jobs[0].Start.IsZero()
		if err != nil || !late || time.Since(began) > lag {
			return jobs, err
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return nil, cli.ErrInterrupted
		}
	}
}

// priced adds the cost, with the site's prices.
func priced(p *cli.Program, r *report.Report) *report.Report {
	r.Cost = cost.Of(r, &p.Config.Prices)
	return r
}
