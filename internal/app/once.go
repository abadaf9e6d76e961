package app

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/session"
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
	from.Look(cluster.EveryNode, true)
	w := session.Open(ctx, cfg, cfg.Second, from, raiseMemory())
	defer w.Stop(0)
	line := newProgress(io.err, time.Now())
	w.Settle(line.update)
	line.erase()
	if err := w.Err(); err != nil { // it ended by itself: there is no SLURM
		return failed(err)
	}
	snap := w.Snapshot()
	if err := print(snap); err != nil {
		return failed(err)
	}
	if err := w.Stop(onceParting); err != nil {
		return failed(err)
	}
	return verdict(snap)
}
