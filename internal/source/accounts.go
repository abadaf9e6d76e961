package source

import (
	"context"
	"errors"

	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
)

// askAccounting asks SLURM's accounting about a job, once no other command is running and the controller has rested.
func (d *discoverer) askAccounting(ctx context.Context, job string) ([]sacct.Job, error) {
	return askInTurn(ctx, d, job, d.slurm.Accounts, errUnasked, errUnanswered)
}

// Why there is no answer.
var (
	errUnasked    = errors.New("SLURM's accounting was not asked: SLURM still answers another command")
	errUnanswered = errors.New("SLURM's accounting did not answer in time")
)
