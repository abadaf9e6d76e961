package feed

import (
	"context"
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// noLogs is a feed that reads no logs of jobs.
type noLogs struct {
	Feed
	why string
}

// Unwrap returns the Source.
func (n noLogs) Unwrap() cluster.Source { return n.Feed }

// Ask implements source.Controls.
func (n noLogs) Ask(ctx context.Context, node string, q wire.Request) (wire.Reply, error) {
	if q.ReadLog != nil {
		return wire.Reply{}, n.refusalError()
	}
	return n.Feed.Ask(ctx, node, q)
}

// Log implements source.Controls.
func (n noLogs) Log(context.Context, joblog.Query) (joblog.Piece, error) {
	return joblog.Piece{}, n.refusalError()
}

func (n noLogs) refusalError() error { return fmt.Errorf("logs are not read: %s forbids it", n.why) }
