package source

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
)

// counter asks SLURM for the GPUs of the cluster. It asks at the pace of the questions for jobs, half as often while
// SLURM is slow, and sooner only if the user wants a new answer. Between two questions, everybody gets the last answer.
type counter struct {
	// step runs a command when it is its turn.
	step  func(ctx context.Context, q *capacity.SupplyQuestion) (*capacity.Supply, error)
	pace  func() time.Duration // time between two questions
	floor func() time.Duration // likewise, if the user wants an answer

	mu   sync.Mutex // protects the following; one question at a time
	last *capacity.Cluster
	err  error
	at   time.Time     // end of the last question
	took time.Duration // duration of all its commands
}

// askCapacity returns the GPUs of the cluster, or the reason why the last question has no answer. fresh says that the
// user asked for it.
func (c *counter) askCapacity(ctx context.Context, fresh bool) (*capacity.Cluster, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wait := c.pace()
	if c.took > slow {
		wait *= 2
	}
	if fresh {
		wait = max(c.floor(), leastGap)
	}
	if !c.at.IsZero() && time.Since(c.at) < wait {
		return c.last, c.err
	}
	began := time.Now()
	got, err := c.runQuestion(ctx)
	c.at = time.Now()
	c.last, c.err, c.took = nil, err, c.at.Sub(began)
	if err == nil {
		c.last = capacity.Of(got, c.at)
	}
	return c.last, c.err
}

// runQuestion runs the commands of a question.
func (c *counter) runQuestion(ctx context.Context) (*capacity.Supply, error) {
	var q capacity.SupplyQuestion
	for {
		if got, err := c.step(ctx, &q); got != nil || err != nil {
			return got, err
		}
	}
}

// runSupplyCommand runs a command of a question for the GPUs of the cluster, once no other command is running and the
// controller has rested.
func (d *discoverer) runSupplyCommand(ctx context.Context, q *capacity.SupplyQuestion) (*capacity.Supply, error) {
	return askInTurn(ctx, d, q, d.slurm.Supply, errOccupied, errOccupied)
}

var errOccupied = errors.New("SLURM did not list the nodes: it still answers another command")
