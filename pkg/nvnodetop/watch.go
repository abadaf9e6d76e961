package nvnodetop

import (
	"context"
	"iter"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/export"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Watch yields what is known at each interval: first when every node has reported or failed, or when the setting
// timeout is over (15 s). A node that does not report, or a SLURM that does not answer, is part of a snapshot and no
// error.
//
// The sequence ends when ctx does, and its sessions are closed when the loop over it ends. An error is its last
// element, without a snapshot. A loop that is slow misses snapshots: they do not queue. A snapshot must not be changed:
// the next ones may share parts of it.
func Watch(ctx context.Context, o Options) iter.Seq2[*schema.Snapshot, error] {
	return func(yield func(*schema.Snapshot, error) bool) {
		err := o.with(ctx, 0, func(s *session) error {
			return s.snapshots(func(snap *schema.Snapshot) bool { return yield(snap, nil) })
		})
		if err != nil && ctx.Err() == nil {
			yield(nil, err)
		}
	}
}

// Snapshot returns what is known when every node has reported twice, a second apart, or has failed, or when the setting
// timeout is over. If ctx ends before that, the error is that of ctx.
func Snapshot(ctx context.Context, o Options) (first *schema.Snapshot, err error) {
	second := config.SecondSample
	if o.FirstSample {
		second = 0
	}
	err = o.with(ctx, second, func(s *session) error {
		return s.snapshots(func(snap *schema.Snapshot) bool {
			first = snap
			return false
		})
	})
	if err == nil && first == nil {
		err = context.Cause(ctx)
	}
	return first, err
}

// snapshots calls yield until it returns false, or ctx ends. It returns why the source has ended by itself.
func (s *session) snapshots(yield func(*schema.Snapshot) bool) error {
	began := time.Now()
	store := cluster.NewStore(s.cfg.Poll, health.Rules(s.cfg.Thresholds))
	s.start(store.Apply)
	early, ready := context.WithTimeout(s.ctx, s.cfg.Timeout)
	whole := tally.Settling{Second: s.cfg.Second}
	bell.Await(early, s.news, func() bool { return whole.Over(store.Snapshot(time.Now())) })
	ready()
	tick := time.NewTicker(s.cfg.Poll)
	defer tick.Stop()
	for s.ctx.Err() == nil {
		if !yield(export.Document(source.LastLook(store, began))) {
			return nil
		}
		select {
		case <-tick.C:
		case <-s.ctx.Done():
		}
	}
	return s.ended()
}

// ended returns why the source has ended by itself; nil: it has not.
func (s *session) ended() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}
