package feed

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
)

// A job that hangs is asked once; the output's Snapshots have the answer, and so has who hears the feed, such as a
// recording beside it. Without hang.ask, and by outputs that do not want it, nobody is asked.
func TestAskHung(t *testing.T) {
	type follow func(*cli.Program, time.Duration, func(*cluster.Snapshot) error) Show
	for name, c := range map[string]struct {
		follow follow
		ask    bool
		want   int
	}{"asked": {FollowedAsking, true, 1}, "switched off": {FollowedAsking, false, 0}, "not wanted": {Followed, true, 0}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &cli.Program{Config: config.Default()}
				p.Config.HangAsk = c.ask
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				defer cancel()
				var mu sync.Mutex
				heard, known := 0, 0
				from := Heard(demo.New(2, 8, demo.Seed, 3*time.Second, 10*time.Minute).Hang(), func(e cluster.Event) {
					mu.Lock()
					defer mu.Unlock()
					if e.Stacks != nil {
						heard++
					}
				})
				see := func(s *cluster.Snapshot) error {
					known = len(s.Stacks)
					return nil
				}
				if err := c.follow(p, 10*time.Second, see)(ctx, from); err != nil {
					t.Error(err)
				}
				time.Sleep(2 * time.Minute) // until NCCL's answers are not awaited any more
				if mu.Lock(); heard != c.want || known != c.want {
					t.Errorf("heard of %d answers, Snapshots have %d, want %d", heard, known, c.want)
				}
				mu.Unlock()
			})
		})
	}
}
