package source

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
)

// Accounts has counted one job.
func (c *controller) Accounts(ctx context.Context, job string) ([]sacct.Job, error) {
	_, err := c.command(ctx, &c.counted, func() {})
	return []sacct.Job{{ID: job}}, err
}

// The question to the accounting waits until the running command has ended and the controller has rested. If nobody
// waits for it any more, it is not asked.
func TestAccountsTakeTheirTurn(t *testing.T) {
	c := &controller{took: 3 * sec}
	discover(t, c, func(d *discoverer) {
		c.at(sec)
		ctx, stop := context.WithTimeout(context.Background(), sec)
		defer stop()
		if jobs, err := d.askAccounting(ctx, "48211"); !errors.Is(err, errUnasked) || jobs != nil {
			t.Errorf("%+v, %v", jobs, err)
		}
		jobs, err := d.askAccounting(context.Background(), "48212")
		if err != nil || len(jobs) != 1 || jobs[0].ID != "48212" || !slices.Equal(c.counted, []time.Duration{6 * sec}) {
			t.Errorf("%+v, %v, asked at %v", jobs, err, c.counted)
		}
	})
}
