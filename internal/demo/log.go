package demo

import (
	"context"
	"fmt"
	"time"

	simulated "github.com/nvnodetop/nvnodetop/internal/demo/joblog"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Log returns a piece of the simulated log of a job.
func (d *Demo) Log(_ context.Context, q joblog.Query) (joblog.Piece, error) {
	log, now := simulated.Log{Begin: d.world.begin}, time.Now()
	size := log.Size(now)
	from := q.From
	if from < 0 {
		from = max(size+from, 0)
	}
	from = min(from, size)
	if q.Latest {
		from = max(from, size-int64(q.Max))
	}
	p := joblog.Piece{Path: fmt.Sprintf("/home/%s/runs/slurm-%s.out", me, q.Job), Both: true, At: now,
		LogPiece: wire.LogPiece{Size: size, From: from, ModMS: now.UnixMilli(), Shared: true}}
	p.Data = log.Read(from, min(from+int64(q.Max), size))
	return p, nil
}
