package nvnodetop

import (
	"context"
	"iter"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/output/export"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Watch yields a Snapshot at each interval. The first one comes when every node has reported or failed, or when the
// setting timeout is over (15 s). A node that does not report, or a SLURM that does not answer, is part of a snapshot
// and not an error. Neither is the end of Options.Job, which Ended tells, nor a job that SLURM does not list: the
// snapshots then have no jobs.
//
// The sequence ends when ctx does. Its sessions are closed when the loop over it ends. An error is its last element,
// without a snapshot. A slow loop misses snapshots: they are not queued. A snapshot must not be changed: later ones may
// share parts of it.
func Watch(ctx context.Context, o Options) iter.Seq2[*schema.Snapshot, error] {
	return func(yield func(*schema.Snapshot, error) bool) {
		err := o.with(ctx, 0, func(t *target) error {
			return t.snapshots(ctx, func(s *schema.Snapshot) bool { return yield(s, nil) })
		})
		if err != nil && ctx.Err() == nil {
			yield(nil, err)
		}
	}
}

// Snapshot returns once every node has reported twice, a second apart, or has failed, or when the setting timeout is
// over. If ctx ends before that, the error is that of ctx.
func Snapshot(ctx context.Context, o Options) (first *schema.Snapshot, err error) {
	second := config.SecondSample
	if o.FirstSample {
		second = 0
	}
	err = o.with(ctx, second, func(t *target) error {
		return t.snapshots(ctx, func(s *schema.Snapshot) bool {
			first = s
			return false
		})
	})
	if err == nil && first == nil {
		err = context.Cause(ctx)
	}
	return first, err
}

// snapshots calls yield until it returns false or ctx ends. If the source ends by itself, it returns why.
func (t *target) snapshots(ctx context.Context, yield func(*schema.Snapshot) bool) error {
	w := source.OpenWatch(ctx, t.cfg, t.second, t.from)
	defer t.hold(w.Session)()
	w.Settle(nil)
	more := true
	w.Each(t.cfg.Poll, func(s *cluster.Snapshot) bool {
		more = yield(export.Document(s))
		return more
	})
	if !more {
		return nil
	}
	return w.Err()
}
