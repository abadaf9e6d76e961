package feed

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// doer notes the requests that reach it.
type doer struct {
	feedtest.Feed
	did []string
}

func (d *doer) Ask(_ context.Context, _ string, r wire.Request) (wire.Reply, error) {
	if r.Signal != nil {
		d.did = append(d.did, "signal")
	}
	return wire.Reply{ID: 7}, nil
}

func (d *doer) Cancel(context.Context, string, string) error {
	d.did = append(d.did, "cancel")
	return nil
}

// With readonly neither a signal nor scancel gets through, whatever the screen asks for, and questions do.
func TestReadOnlyLetsNothingThrough(t *testing.T) {
	for from, why := range map[string]string{"--readonly": "--readonly", "/etc/x.toml:3": "readonly in /etc/x.toml:3",
		"": ""} {
		below := &doer{}
		cfg := config.Default()
		cfg.ReadOnlyFrom = from
		f := guardFeed(&cfg, below)
		_, err1 := f.Ask(t.Context(), "n1", wire.Request{Signal: &wire.Signal{Number: 15}})
		err2 := f.Cancel(t.Context(), "48211", "")
		reply, err := f.Ask(t.Context(), "n1", wire.Request{Environ: &wire.ProcessID{PID: 1}})
		if err != nil || reply.ID != 7 {
			t.Errorf("%q: a question: %+v, %v", from, reply, err)
		}
		if said := WhyReadOnly(&cfg); said != why {
			t.Errorf("%q: it says %q, want %q", from, said, why)
		}
		switch {
		case from == "":
			if err := errors.Join(err1, err2); err != nil || len(below.did) != 2 {
				t.Errorf("allowed: %v, did %q", err, below.did)
			}
		case err1 == nil || err2 == nil || len(below.did) != 0 || !strings.Contains(err1.Error(), why+" forbids") ||
			!strings.Contains(err2.Error(), why+" forbids"):
			t.Errorf("%q: %v, %v, did %q", from, err1, err2, below.did)
		}
	}
}

// The guard is in front of every output: a request from elsewhere than the screen is refused, too.
func TestEveryOutputIsReadOnly(t *testing.T) {
	for _, from := range []string{"--readonly", ""} {
		p := &cli.Program{Config: config.Default()}
		p.Config.Demo, p.Config.ReadOnlyFrom = "1x1", from
		var refusals []error
		err := RunScreen(t.Context(), p, Need{}, slog.New(slog.DiscardHandler),
			func(ctx context.Context, f Feed) error {
				ctx, stop := context.WithCancel(ctx)
				defer stop()
				go func() { _ = f.Run(ctx, func(cluster.Event) {}) }() // answers
				_, err := f.Ask(ctx, "n1", wire.Request{Signal: &wire.Signal{Number: 15}})
				refusals = []error{err, f.Cancel(ctx, "48211", "")}
				return nil
			})
		if err != nil || len(refusals) != 2 {
			t.Fatal(err, refusals)
		}
		for _, err := range refusals {
			if refused := err != nil && strings.Contains(err.Error(),
				"--readonly forbids it"); refused != (from != "") {
				t.Errorf("%q: %v", from, err)
			}
		}
	}
}
