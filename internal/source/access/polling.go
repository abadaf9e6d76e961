package access

import (
	"cmp"
	"fmt"
	"log/slog"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Polling is how an output wants the nodes to be polled, in addition to the settings.
type Polling struct {
	Every  time.Duration // 0: as the settings say
	Second time.Duration // from the first report of each node to a second one; 0: the interval
	Slows  bool          // nodes are polled less often if no key was pressed for a long time
	Log    *slog.Logger  // may be nil
}

// within returns the settings of a poller without its Opener, within the limits of the user's settings.
func (p Polling) within(cfg *config.Config) poller.Config {
	c := poller.Config{Interval: cmp.Or(p.Every, cfg.Poll), Second: p.Second, Most: cfg.MaxNodes,
		Beyond: notWatched(cfg), Log: p.Log}
	if p.Slows {
		c.IdleAfter, c.IdleFactor = source.IdleAfter, source.IdleFactor
	}
	return c
}

// notWatched is the failure of nodes beyond max_nodes.
func notWatched(cfg *config.Config) reach.Failure {
	return reach.Failure{
		Class: reach.ClassNotWatched, Short: "not watched", Cause: fmt.Sprintf("max_nodes = %d (%s)", cfg.MaxNodes,
			cfg.MaxNodesFrom),
		Meaning: "One program may watch only so many nodes.",
		Hints:   []string{"name one job with --job, or nodes with --nodes"},
	}
}
