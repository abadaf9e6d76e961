package source

import (
	"context"
	"errors"

	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
)

// accounts asks SLURM's accounting about a job, once no other command runs and the controller has rested.
func (d *discoverer) accounts(ctx context.Context, job string) (jobs []sacct.Job, err error) {
	answer := make(chan []sacct.Job, 1)
	err = d.give(ctx, order{do: func(ctx context.Context) error {
		found, err := d.slurm.Accounts(ctx, job)
		answer <- found
		return err
	}}, errUnasked, errUnanswered)
	if err != nil {
		return nil, err
	}
	return <-answer, nil
}

// Reasons why there is no answer.
var (
	errUnasked    = errors.New("SLURM's accounting was not asked: SLURM still answers another command")
	errUnanswered = errors.New("SLURM's accounting did not answer in time")
)
