package source

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
)

// Supply takes three commands.
func (c *controller) Supply(ctx context.Context, q *capacity.SupplyQuestion) (*capacity.Supply, error) {
	var at []time.Duration
	_, err := c.command(ctx, &at, func() { c.supplies = append(c.supplies, at[0]) })
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && len(c.supplies)%3 == 0 {
		return &capacity.Supply{}, nil
	}
	return nil, err
}

// The cluster's GPUs are asked for one command at a time, with rests, and at the pace of the questions for the jobs,
// which do not come sooner for it.
func TestTheClusterIsAskedForSlowly(t *testing.T) {
	c := &controller{took: sec}
	discover(t, c, func(d *discoverer) {
		count := counter{step: d.runSupplyCommand, pace: d.currentInterval, floor: func() time.Duration { return 10 * sec }}
		ask := func(fresh bool) *time.Time {
			got, err := count.askCapacity(context.Background(), fresh)
			if err != nil {
				t.Fatal(err)
			}
			return &got.Time
		}
		c.at(sec) // squeue runs until 1 s
		first := *ask(false)
		if want := []time.Duration{2 * sec, 4 * sec, 6 * sec}; !slices.Equal(c.supplies, want) {
			t.Errorf("commands at %v, want %v", c.supplies, want)
		}
		c.at(16 * sec)
		if again := *ask(false); !again.Equal(first) || !(*ask(true)).Equal(first) {
			t.Errorf("another answer, of %v, before it is due", again)
		}
		c.at(18 * sec) // the user wants one, and the floor has passed
		if (*ask(true)).Equal(first) || len(c.supplies) != 6 {
			t.Errorf("no new answer for the user: commands at %v", c.supplies)
		}
		c.at(50 * sec)
		if ask(false); len(c.supplies) != 6 {
			t.Errorf("asked again after less than 30 s and twice as long for a slow answer: %v", c.supplies)
		}
		c.at(100 * sec)
		if ask(false); len(c.supplies) != 9 {
			t.Errorf("not asked again: %v", c.supplies)
		}
		c.want(t, 0, 31*sec, 62*sec, 93*sec)
	})
}

// A failure is kept like an answer, so a controller that is away is not asked more often.
func TestAFailureIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed, asked := errors.New("away"), 0
		h := NewHosts("n1", []string{"n1"}, nil, "alice", "login1")
		if _, err := h.Cluster(t.Context(), false); !errors.Is(err, command.ErrNoSlurm) {
			t.Errorf("without commands: %v", err)
		}
		h.Commands = func(context.Context, ...string) ([]byte, []byte, error) {
			asked++
			return nil, nil, failed
		}
		for range 3 {
			if got, err := h.Cluster(t.Context(), false); got != nil || err == nil || asked != 1 {
				t.Errorf("%v, %v, asked %d times", got, err, asked)
			}
		}
		time.Sleep(6 * time.Minute) // nobody has pressed a key
		if _, err := h.Cluster(t.Context(), false); err == nil || asked != 2 {
			t.Errorf("%v, asked %d times", err, asked)
		}
	})
}
