package hang

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// watched is a demo that was watched for some minutes: the questions about stacks that it got, and what the screen
// says.
// With recovers, no job seems to hang any more once a node was asked.
func watched(t *testing.T, hangs, recovers bool) (asked map[string]int, snap *cluster.Snapshot) {
	t.Helper()
	asked = map[string]int{}
	synctest.Test(t, func(t *testing.T) {
		from := demo.New(4, 8, demo.Seed, 3*time.Second, 10*time.Minute)
		if hangs {
			from.Hang()
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer time.Sleep(2 * time.Minute) // until NCCL's answers are not awaited any more
		defer cancel()
		s := store.New(3*time.Second, health.Rules(health.Defaults()))
		go func() { _ = from.Run(ctx, s.Apply) }()
		<-from.CaughtUp()
		from.Look(cluster.EveryNode, true)
		var mu sync.Mutex
		ask := func(ctx context.Context, node string, r wire.Request) (wire.Reply, error) {
			if r.Stacks != nil {
				mu.Lock()
				asked[node]++
				mu.Unlock()
			}
			return from.Ask(ctx, node, r)
		}
		seen := func(now time.Time) *cluster.Snapshot {
			snap := s.Snapshot(now)
			mu.Lock()
			defer mu.Unlock()
			for i := range snap.Jobs {
				if recovers && len(asked) > 0 {
					snap.Jobs[i].Findings = nil
				}
			}
			return snap
		}
		go New(ask, s.Apply).Follow(ctx, 10*time.Second, seen)
		time.Sleep(4 * time.Minute)
		mu.Lock()
		defer mu.Unlock()
		snap = s.Snapshot(time.Now())
	})
	return asked, snap
}

// A job that hangs is asked once, twice 5 s apart, and row 1 names the rank. Its log of findings says the rest.
func TestAJobThatHangs(t *testing.T) {
	asked, snap := watched(t, true, false)
	if len(asked) != 4 || asked["gpu-n01"] != 2 || asked["gpu-n04"] != 2 {
		t.Errorf("questions by node: %v", asked)
	}
	d := snap.Stacks["48211"]
	if d == nil || d.State != rankstacks.Stuck || d.Headline != "rank 11 in _try_get_data, 31 in all_reduce" {
		t.Fatalf("it knows %+v", d)
	}
	found := false
	for i := range snap.Jobs[0].Findings {
		f := &snap.Jobs[0].Findings[i]
		if f.Kind != cluster.KindJobHang {
			continue
		}
		found = true
		w := say.Finding(snap, f)
		if w.Long != "job hangs: rank 11 in _try_get_data, 31 in all_reduce" ||
			!strings.Contains(w.Sentence, "31 of 32 ranks are in all_reduce, rank 11 (gpu-n02 GPU3, PID ") {
			t.Errorf("it says %q: %q", w.Long, w.Sentence)
		}
	}
	if !found {
		t.Error("the job does not seem to hang")
	}
}

// A job that works is never asked, although a rank of it lags.
func TestAJobThatWorks(t *testing.T) {
	if asked, snap := watched(t, false, false); len(asked) > 0 ||
		len(snap.Stacks) > 0 {
		t.Errorf("questions by node: %v", asked)
	}
}

// A job that goes on while it is asked is not said to stand.
func TestAJobThatGoesOn(t *testing.T) {
	asked, snap := watched(t, true, true)
	if len(asked) != 4 || len(snap.Stacks) != 0 {
		t.Errorf("questions by node: %v; it knows %+v", asked, snap.Stacks)
	}
}
