package app

import (
	"context"
	"errors"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/tally"
)

// follow calls see with a Snapshot every so often until ctx ends, which is no error, or see fails: the first time once
// every node has reported or failed, or after the timeout.
func follow(ctx context.Context, cfg *config.Config, from feed, every time.Duration,
	see func(*cluster.Snapshot) error) error {
	ctx, cancel := context.WithCancel(ctx)
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
	stop := context.AfterFunc(source.ctx, cancel) // no more Events will come
	defer stop()
	early, ready := context.WithTimeout(ctx, cfg.Timeout)
	var whole tally.Settling
	bell.Await(early, news, func() bool { return whole.Over(store.Snapshot(time.Now())) })
	ready()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := see(store.Snapshot(time.Now())); err != nil {
			return failed(err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	_, err := source.wait(onceParting)
	return err
}

// failed is an error of an output with its exit code.
func failed(err error) error {
	if exit, ok := errors.AsType[*exitError](err); ok {
		return exit
	}
	return &exitError{exitFailed, err}
}
