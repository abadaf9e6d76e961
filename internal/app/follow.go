package app

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/session"
)

// follow calls see with a Snapshot every so often until ctx ends, which is no error, or see fails: the first time once
// every node has reported or failed, or after the timeout.
func follow(ctx context.Context, cfg *config.Config, from feed, every time.Duration,
	see func(*cluster.Snapshot) error) error {
	from.Look(cluster.EveryNode, true)
	w := session.Open(ctx, cfg, 0, from, raiseMemory())
	w.Settle(nil)
	var err error
	w.Each(every, func(s *cluster.Snapshot) bool {
		err = see(s)
		return err == nil
	})
	return failed(cmp.Or(err, w.Stop(onceParting)))
}

// failed is an error with an exit code; nil for nil.
func failed(err error) error {
	if err == nil {
		return nil
	}
	if exit, ok := errors.AsType[*exitError](err); ok {
		return exit
	}
	return &exitError{exitFailed, err}
}
