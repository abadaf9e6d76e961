package source

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// A cancellation waits until the running command has ended and the controller has rested. SLURM is asked soon after it.
func TestCancelTakesItsTurn(t *testing.T) {
	c := &controller{took: 3 * sec}
	discover(t, c, func(d *discoverer) {
		c.at(sec) // squeue runs until 3 s, and the controller rests until 6 s
		done := make(chan error, 1)
		go func() { done <- d.cancelJob(context.Background(), "48211", "USR1") }()
		if err := <-done; err != nil {
			t.Errorf("cancel: %v", err)
		}
		c.at(20 * sec)
		c.want(t, 0, 12*sec)
		if !slices.Equal(c.orders, []string{"48211 USR1 6s"}) {
			t.Errorf("orders: %q", c.orders)
		}
	})
}

// A cancellation without a waiting user is dropped, and SLURM's refusal brings its error.
func TestCancelFails(t *testing.T) {
	c := &controller{took: 5 * sec}
	discover(t, c, func(d *discoverer) {
		for _, test := range []struct {
			patience time.Duration
			want     error
		}{{sec, errTurn}, {7 * sec, errUnsure}} { // squeue runs; the controller rests
			ctx, stop := context.WithTimeout(context.Background(), test.patience)
			if err := d.cancelJob(ctx, "48211", ""); !errors.Is(err, test.want) {
				t.Errorf("after %v: %v, want %v", test.patience, err, test.want)
			}
			stop()
		}
		refused := errors.New("Invalid job id specified")
		c.change(func() { c.err = refused })
		if err := d.cancelJob(context.Background(), "48211", ""); !errors.Is(err, refused) {
			t.Errorf("refused: %v", err)
		}
		if c.orders != nil {
			t.Errorf("orders: %q", c.orders)
		}
	})
}

// The question for a log waits likewise. If nobody waits for it any more, it is not asked.
func TestLogsTakeTheirTurn(t *testing.T) {
	c := &controller{took: 3 * sec}
	discover(t, c, func(d *discoverer) {
		c.at(sec)
		ctx, stop := context.WithTimeout(context.Background(), sec)
		defer stop()
		if files, err := d.findLogs(ctx, "48211"); !errors.Is(err, errBusy) || files != nil {
			t.Errorf("%+v, %v", files, err)
		}
		files, err := d.findLogs(context.Background(), "48212")
		if err != nil || files.Out != "/o" || !slices.Equal(c.orders, []string{"log of 48212 6s"}) {
			t.Errorf("%+v, %v, orders: %q", files, err, c.orders)
		}
	})
}

func TestHostsCannotBeCanceled(t *testing.T) {
	if err := NewHosts("n1", []string{"n1"}, nil, "alice", "login1").Cancel(context.Background(), "", ""); err == nil {
		t.Error("canceled")
	}
}
