package app

import (
	"context"
	"fmt"
	"sync"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/web"
)

// notRecorded says why nothing may be recorded, usually the system's file; "": it may.
func notRecorded(cfg *config.Config) string {
	if cfg.Record {
		return ""
	}
	return fmt.Sprintf("recordings are switched off: record = false (%s)", cfg.RecordFrom)
}

// mayRecord is notRecorded as the error of a command.
func mayRecord(cfg *config.Config) error {
	if why := notRecorded(cfg); why != "" {
		return usage("%s", why)
	}
	return nil
}

// mayServe says why serve may not listen at a place.
func mayServe(cfg *config.Config, at web.Place) error {
	switch {
	case cfg.Serve == config.ServeOff:
		return usage("serve is switched off: serve = %q (%s)", cfg.Serve, cfg.ServeFrom)
	case cfg.Serve == config.ServeLocal && !at.Local():
		return usage("--listen %q is not allowed: serve = %q (%s): use 127.0.0.1:PORT or unix:PATH",
			at.Address, cfg.Serve, cfg.ServeFrom)
	}
	return nil
}

// partial says once on stderr that not all nodes are watched, for outputs that are no screens.
func partial(out show) show {
	return func(ctx context.Context, cfg *config.Config, io streams, from feed) error {
		var once sync.Once
		return out(ctx, cfg, io, overheard{from, func(e cluster.Event) {
			if e.Down != nil && e.Down.Failure.Class == reach.ClassNotWatched {
				once.Do(func() {
					fmt.Fprintf(io.err, "nvnodetop: not all nodes are watched: %s\n", printable(e.Down.Failure.Cause))
				})
			}
		}})
	}
}
