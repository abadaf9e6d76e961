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

// restPatience is how long an output waits for the rest after all else is there: the users of processes, and the switches of nodes. It is longer than
// the default interval of the probes, which look for users again in each report.
const restPatience = 4 * time.Second

// settling tells when there is nothing left to wait for.
type settling struct{ since time.Time } // when all but the rest was there

// over reports whether a Snapshot, which is later than the last one, can be printed.
func (w *settling) over(s *cluster.Snapshot) bool {
	if !tally.Settled(s) {
		return false
	}
	if w.since.IsZero() {
		w.since = s.At
	}
	return !tally.Nameless(s) && !s.Discovery.Topology || s.At.Sub(w.since) >= restPatience
}

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
	events := start(func() error {
		return feedStore(ctx, from, func(e cluster.Event) {
			store.Apply(e)
			news.Ring()
		})
	})
	context.AfterFunc(events.ctx, cancel) // no more Events will come
	shown := newProgress(io.err, began)
	var whole settling
	bell.Await(ctx, news, func() bool {
		snap := store.Snapshot(time.Now())
		shown.update(snap)
		return whole.over(snap)
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
