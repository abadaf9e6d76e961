package access

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Polling returns the poller's settings, within the limits of the user's settings.
func Polling(cfg *config.Config) poller.Config {
	return poller.Config{Interval: cfg.Poll, Most: cfg.MaxNodes, Beyond: notWatched(cfg)}
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
