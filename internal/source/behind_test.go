package source

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
)

// A host too slow for its demo shows the cluster as it was a while ago: no node seems silent for that, and time never
// goes back.
func TestASlowHostSilencesNoNodeOfTheDemo(t *testing.T) {
	const nodes, troubled = 100, 3 // those that the story silences, drops and refuses
	synctest.Test(t, func(t *testing.T) {
		cfg := config.Default()
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		slow := func(cluster.Event) {
			if time.Since(began) < 3*time.Minute {
				time.Sleep(4 * cfg.Poll / 3 / nodes)
			}
		}
		w := OpenWatch(ctx, &cfg, 0, demo.New(nodes, 1, demo.Seed, cfg.Poll, 2*time.Minute), slow)
		var last time.Time
		mostBehind, mostAway := time.Duration(0), 0
		for range 300 {
			time.Sleep(time.Second)
			synctest.Wait()
			s := w.Look(time.Now())
			if s.At.Before(last) {
				t.Fatalf("time goes back from %s to %s", last, s.At)
			}
			last, mostBehind = s.At, max(mostBehind, time.Since(s.At))
			away := 0
			for _, n := range s.Nodes {
				if n.State == cluster.NodeStale || n.State == cluster.NodeFailed {
					away++
				}
			}
			mostAway = max(mostAway, away)
		}
		if mostBehind < 30*time.Second || mostAway == 0 || mostAway > troubled || time.Since(last) > 2*cfg.Poll {
			t.Errorf("the demo is at most %s behind, at the end %s, and %d nodes are away", mostBehind, time.Since(last),
				mostAway)
		}
		cancel()
		<-w.Done()
	})
}
