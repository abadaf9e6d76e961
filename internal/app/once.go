package app

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/tally"
)

// onceParting is how long --once and --json wait for sessions to close after they have printed.
const onceParting = 500 * time.Millisecond

// firstSample is the flag for what is printed a second earlier.
const firstSample = "first-sample"

// sampleTwice makes what is printed once wait for a second report of each node, unless the user wants the first.
func sampleTwice(cfg *config.Config) {
	if !cfg.FirstSample {
		cfg.Second = config.SecondSample
	}
}

// printed shows one Snapshot with print.
func printed(print func(*config.Config, streams, *cluster.Snapshot) error) show {
	return func(ctx context.Context, cfg *config.Config, io streams, from feed) error {
		return once(ctx, cfg, io, from, func(s *cluster.Snapshot) error { return print(cfg, io, s) })
	}
}

// once waits until every node has reported twice or failed, or until the timeout, and prints one Snapshot. It prints
// before it closes the sessions, because a hung node closes slowly.
func once(ctx context.Context, cfg *config.Config, io streams, from feed, print func(*cluster.Snapshot) error) error {
	return judged(ctx, cfg, io, from, print, exitCode)
}

// judged is once with another verdict on the Snapshot that was printed.
func judged(ctx context.Context, cfg *config.Config, io streams, from feed, print,
	verdict func(*cluster.Snapshot) error) error {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, cfg.Timeout)
	defer cancel()
	from.Look(cluster.EveryNode, true)
	store := cluster.NewStore(cfg.Poll, health.Rules(cfg.Thresholds))
	news := bell.New()
	events := start(func() error {
		return feedStore(ctx, from, func(e cluster.Event) {
			store.Apply(e)
			news.Ring()
		})
	})
	context.AfterFunc(events.ctx, cancel) // no more Events will come
	whole := tally.Settling{Second: cfg.Second}
	catchUp(ctx, from)
	shown := newProgress(io.err, began)
	bell.Await(ctx, news, func() bool {
		snap := store.Snapshot(time.Now())
		shown.update(snap, whole.Early(snap))
		return whole.Over(snap)
	})
	shown.erase()
	if _, err := events.wait(0); err != nil { // it ended by itself: there is no SLURM
		return err
	}
	snap := source.LastLook(store, began)
	if err := print(snap); err != nil {
		return failed(err)
	}
	cancel()
	if _, err := events.wait(onceParting); err != nil {
		return err
	}
	return verdict(snap)
}
