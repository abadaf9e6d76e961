package feed

import (
	"context"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// loggingFeed is a feed whose jobs have a log, which takes a while to read.
type loggingFeed struct {
	feedtest.Feed
	takes time.Duration
	reads atomic.Int32
}

const tail = "step 41200/100000 loss 2.31\n"

func (f *loggingFeed) Log(ctx context.Context, q joblog.Query) (joblog.Piece, error) {
	f.reads.Add(1)
	select {
	case <-time.After(f.takes):
	case <-ctx.Done():
		return joblog.Piece{}, ctx.Err()
	}
	end := wire.LogPiece{Size: int64(len(tail)), Data: []byte(tail)}
	return joblog.Piece{Both: true, At: time.Now(), LogPiece: end}, nil
}

// An output that is printed once has what the ends of the logs say, and waits for a log that hangs no longer than a
// moment. What the settings forbid is not read.
func TestOnceReadsTheEndsOfLogs(t *testing.T) {
	for _, tc := range []struct {
		name   string
		need   Need
		takes  time.Duration
		set    func(*config.Config)
		steps  bool
		within time.Duration
	}{
		{"a quick file system", Need{Tails: true}, 100 * time.Millisecond, nil, true, 200 * time.Millisecond},
		{"beside the second sample", Need{Tails: true, Second: time.Second}, time.Second, nil, true, 2 * time.Second},
		{"a hung one", Need{Tails: true}, time.Hour, nil, false, lateTails + time.Second},
		{"not wanted", Need{}, 0, nil, false, time.Second},
		{"no progress", Need{Tails: true}, 0, func(c *config.Config) { c.Progress = false }, false, time.Second},
		{"no logs", Need{Tails: true}, 0, func(c *config.Config) { c.Logs = false }, false, time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &loggingFeed{takes: tc.takes, Feed: feedtest.Feed{Events: feedtest.JobThatReports(),
					Then: func(ctx context.Context) error { <-ctx.Done(); return nil }}}
				p := &cli.Program{Config: config.Default(), Streams: cli.Streams{Err: io.Discard}}
				p.Config.Timeout = time.Second
				if tc.set != nil {
					tc.set(&p.Config)
				}
				began, took := time.Now(), time.Duration(0)
				var got *cluster.JobProgress
				_ = Printed(p, tc.need, func(s *cluster.Snapshot) error {
					got, took = s.Jobs[0].Progress, time.Since(began)
					return nil
				}, func(*cluster.Snapshot) error { return nil })(t.Context(), f)
				if known := got != nil && *got.Step == 41_200 && *got.Total == 100_000; known != tc.steps || took > tc.within {
					t.Errorf("%+v after %v", got, took)
				}
				if mayRead := tc.need.readsTails(&p.Config); (f.reads.Load() > 0) != mayRead {
					t.Errorf("%d reads", f.reads.Load())
				}
			})
		})
	}
}
