package app

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
)

// onceParting is how long --once and --json wait for sessions to close after they have printed.
const onceParting = 500 * time.Millisecond

// printed shows one Snapshot with print.
func printed(print func(*config.Config, streams, *cluster.Snapshot) error) show {
	return func(ctx context.Context, cfg *config.Config, io streams, from feed) error {
		return once(ctx, cfg, io, from, func(s *cluster.Snapshot) error { return print(cfg, io, s) })
	}
}

// once waits until every node has reported or failed, or until the timeout, and prints one Snapshot. It prints before it closes the
// sessions, because a hung node closes slowly.
func once(ctx context.Context, cfg *config.Config, io streams, from feed, print func(*cluster.Snapshot) error) error {
	return judged(ctx, cfg, io, from, print, exitCode)
}

// judged is once with another verdict on the Snapshot that was printed.
func judged(ctx context.Context, cfg *config.Config, io streams, from feed, print, verdict func(*cluster.Snapshot) error) error {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, cfg.Timeout)
	defer cancel()
	from.Look(cluster.EveryNode, true)
	store := cluster.NewStore(cfg.Poll, health.Rules(cfg.Thresholds))
	news := bell.New()
	source := start(func() error {
		return feedStore(ctx, from, func(e cluster.Event) {
			store.Apply(e)
			news.Ring()
		})
	})
	context.AfterFunc(source.ctx, cancel) // no more Events will come
	shown := newProgress(io.err, began)
	await(ctx, news, func() bool {
		snap := store.Snapshot(time.Now())
		shown.update(snap)
		return settled(snap)
	})
	shown.erase()
	if _, err := source.wait(0); err != nil { // it ended by itself: there is no SLURM
		return err
	}
	snap := lastLook(store, began)
	if err := print(snap); err != nil {
		return failed(err)
	}
	cancel()
	if _, err := source.wait(onceParting); err != nil {
		return err
	}
	return verdict(snap)
}

// Limits of the time between two looks of await: a Snapshot of a large cluster costs milliseconds, and its nodes send thousands of
// Events per second.
const (
	leastLook = 100 * time.Millisecond
	mostLook  = time.Second
)

// await calls look until it returns true or ctx ends: when there is news, but at most once per leastLook, and without news once per
// mostLook.
func await(ctx context.Context, news bell.Bell, look func() bool) {
	for {
		select {
		case <-news:
		case <-time.After(mostLook):
		case <-ctx.Done():
			return
		}
		if look() {
			return
		}
		select {
		case <-time.After(leastLook):
		case <-ctx.Done():
			return
		}
	}
}
