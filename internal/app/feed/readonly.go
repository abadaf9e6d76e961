package feed

import (
	"context"
	"fmt"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// readOnly is a feed that blocks all requests that change a process or a job. The screen does not offer such requests
// either; this guards against mistakes in the screen.
type readOnly struct {
	Feed
	why string
}

// guardFeed returns the feed without the actions that the settings forbid.
func guardFeed(cfg *config.Config, from Feed) Feed {
	if !cfg.Logs {
		from = noLogs{from, whyOf("logs", cfg.LogsFrom)}
	}
	if why := WhyReadOnly(cfg); why != "" {
		return readOnly{from, why}
	}
	return from
}

// WhyReadOnly names the setting that forbids signals, for use in a sentence; "": none does.
func WhyReadOnly(cfg *config.Config) string { return whyOf("readonly", cfg.ReadOnlyFrom) }

// whyOf names a setting and its origin, for use in a sentence; "": it is not set.
func whyOf(key, origin string) string {
	if strings.ContainsRune(origin, ':') { // it names a line in a file
		return key + " in " + origin
	}
	return origin
}

// Unwrap returns the Source.
func (r readOnly) Unwrap() cluster.Source { return r.Feed }

// Ask implements source.Controls.
func (r readOnly) Ask(ctx context.Context, node string, q wire.Request) (wire.Reply, error) {
	if q.Signal != nil {
		return wire.Reply{}, fmt.Errorf("nothing was done to the processes: %s forbids it", r.why)
	}
	return r.Feed.Ask(ctx, node, q)
}

// Cancel implements source.Controls.
func (r readOnly) Cancel(context.Context, string, string) error {
	return fmt.Errorf("scancel was not run: %s forbids it", r.why)
}
