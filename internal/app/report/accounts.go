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

// accounts runs a question to SLURM's accounting within a time.
func accounts(ctx context.Context, p *cli.Program, log *slog.Logger, patience time.Duration,
	question func(context.Context, *access.Access) error) error {
	ways, err := access.New(ctx, &p.Config, log)
	if err != nil {
		return err
	}
	defer ways.Close()
	if at := feed.NewTerminal(p.Streams); at != nil && p.Config.Login != "" {
		if err := ways.Native.Prepare(ctx, at, nil); err != nil {
			return err
		}
	}
	inTime, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = question(inTime, ways)
	switch {
	case ctx.Err() != nil:
		return cli.ErrInterrupted
	case inTime.Err() != nil:
		return fmt.Errorf("SLURM's accounting did not answer within %v", patience)
	}
	return err
}

// ask asks for a job, or the parts of one.
func ask(ctx context.Context, p *cli.Program, log *slog.Logger, id string) (jobs []sacct.Job, err error) {
	err = accounts(ctx, p, log, p.Config.Timeout, func(ctx context.Context, ways *access.Access) (err error) {
		jobs, err = sacct.Ask(ctx, ways.Commands, id)
		return err
	})
	return sacct.Last(jobs), err
}

// listOf returns the list of jobs.
func listOf(ctx context.Context, p *cli.Program, log *slog.Logger, q sacct.Query) (*report.List, error) {
	line := cli.NewStatus(p.Err)
	line.Set("asking SLURM's accounting")
	made := books.NewListing(q.User, q.From, q.To)
	err := accounts(ctx, p, log, listPatience*p.Config.Timeout, func(ctx context.Context, ways *access.Access) error {
		return sacct.Each(ctx, ways.Commands, q, made.Add)
	})
	line.Erase()
	if err != nil {
		return nil, refused(err)
	}
	list, more := made.List()
	if more > 0 {
		p.Say("%d more jobs are left out: ask for fewer days", more)
	}
	return list, nil
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
		jobs, err := ask(ctx, p, log, id)
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
