package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
)

// AskAccounts asks SLURM's accounting a question, within a time limit. The login before it takes as long as the user
// needs, or until ctx ends.
func AskAccounts(ctx context.Context, p *cli.Program, log *slog.Logger, patience time.Duration,
	question func(context.Context, command.Runner) error) error {
	ways, err := access.New(ctx, &p.Config, log)
	if err != nil {
		return err
	}
	defer ways.Close()
	if at := NewTerminal(p.Streams); at != nil && p.Config.Login != "" {
		if err := ways.Native.Prepare(ctx, at, nil); err != nil {
			return err
		}
	}
	inTime, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = question(inTime, ways.Commands)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return cli.ErrInterrupted
	case inTime.Err() != nil:
		return fmt.Errorf("SLURM's accounting did not answer within %v", patience)
	case errors.Is(err, command.ErrNoSlurm):
		return AskElsewhere(&p.Config)
	}
	return err
}

// AccountedJobs asks for jobs, or the parts of one.
func AccountedJobs(ctx context.Context, p *cli.Program, log *slog.Logger, ids ...string) ([]sacct.Job, error) {
	return SettledJobs(ctx, p, log, func([]sacct.Job) bool { return false }, ids...)
}

// AccountedSince asks for the jobs of a user that have run since a given time.
func AccountedSince(ctx context.Context, p *cli.Program, log *slog.Logger, user string,
	from time.Time) (jobs []sacct.Job,
	err error) {
	q := sacct.Query{User: user, From: from, To: time.Now()}
	err = AskAccounts(ctx, p, log, p.Config.Timeout, func(ctx context.Context, run command.Runner) error {
		return sacct.Each(ctx, run, q, func(some []sacct.Job) { jobs = append(jobs, some...) })
	})
	return sacct.Last(jobs), err
}

// IsRunning reports whether a job of a user is running, as far as the database knows.
func IsRunning(j *sacct.Job, user string) bool { return j.User == user && j.End.IsZero() && j.Ran() }

// How long SLURM's database takes to learn that a job has ended.
const (
	accountsLag = 10 * time.Second
	askAgain    = 2 * time.Second
)

// SettledJobs asks for jobs, and asks again while the database is late. It lags behind the controller, and shows a job
// as running that has ended.
func SettledJobs(ctx context.Context, p *cli.Program, log *slog.Logger, late func([]sacct.Job) bool, ids ...string) (
	jobs []sacct.Job, err error) {
	if p.Config.Demo != "" {
		return SimulatedJobs(ctx, p, ids...)
	}
	err = AskAccounts(ctx, p, log, p.Config.Timeout+accountsLag,
		func(ctx context.Context, run command.Runner) (err error) {
			jobs, err = SettleAccounts(ctx, p.Config.Timeout, late, func(ctx context.Context) ([]sacct.Job, error) {
				return sacct.Ask(ctx, run, ids...)
			})
			return err
		})
	return jobs, err
}

// SettleAccounts asks again and again while the database is late. Each question may take as long as its time limit.
func SettleAccounts(ctx context.Context, patience time.Duration, late func([]sacct.Job) bool,
	ask func(context.Context) ([]sacct.Job, error)) ([]sacct.Job, error) {
	for began := time.Now(); ; {
		inTime, cancel := context.WithTimeout(ctx, patience)
		found, err := ask(inTime)
		tooLate := inTime.Err() != nil && ctx.Err() == nil
		cancel()
		if tooLate {
			return nil, fmt.Errorf("SLURM's accounting did not answer within %v", patience)
		}
		jobs := sacct.Last(found)
		if err != nil || !late(jobs) || time.Since(began) > accountsLag {
			return jobs, err
		}
		select {
		case <-time.After(askAgain):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
