package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/test/chromium"
)

// hostileCluster has a node with free GPUs and one that an admin has drained, with a reason in markup.
func hostileCluster(context.Context, bool) (*capacity.Cluster, error) {
	gpus := func(free, out int) []capacity.Count {
		return []capacity.Count{{Type: "h100", Free: free, Out: out, Total: free + out}}
	}
	return &capacity.Cluster{Time: time.Now(), Types: gpus(3, 8),
		Partitions: []capacity.Partition{{Name: "gpu-long", Default: true, State: "up", GPUs: gpus(3, 8)}},
		Nodes: []capacity.Node{{Name: "n7", States: []string{"mixed"}, GPUs: gpus(3, 0)},
			{Name: "n8", States: []string{"drain"}, Reason: hostile, GPUs: gpus(0, 8)}}}, nil
}

// A request for the cluster does not wait for SLURM, and asks it once at a time. The last answer stays, with the reason
// why there is no newer one.
func TestClusterIsAskedBesideTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		var fails atomic.Bool
		r := rigOf(Options{Local: true, Cluster: func(ctx context.Context, fresh bool) (*capacity.Cluster, error) {
			asked++
			time.Sleep(5 * time.Second)
			if fails.Load() {
				return nil, errors.New("sinfo failed " + hostile)
			}
			return hostileCluster(ctx, fresh)
		}})
		ask := func() (part clusterPart) {
			w := r.ask("GET", "/api/v1/cluster")
			synctest.Wait()
			if err := json.Unmarshal(w.Body.Bytes(), &part); err != nil || w.Code != http.StatusOK {
				t.Fatalf("%d, %v", w.Code, err)
			}
			return part
		}
		if p := ask(); p.Cluster != nil || p.Error != "" {
			t.Errorf("before the first answer %+v", p)
		}
		ask()
		time.Sleep(6 * time.Second)
		if p := ask(); asked != 2 || p.Cluster == nil || p.Cluster.Nodes[1].Reason != hostile {
			t.Errorf("after %d questions %+v", asked, p)
		}
		fails.Store(true)
		time.Sleep(6 * time.Second)
		ask()
		time.Sleep(6 * time.Second)
		if p := ask(); asked != 4 || p.Cluster == nil || !strings.HasPrefix(p.Error, "sinfo failed ") {
			t.Errorf("after %d questions, the last of which failed, %+v", asked, p)
		}
		time.Sleep(6 * time.Second)
	})
}

// The stacks of a job are those that were read last. A request reads none.
func TestStacksAreThoseReadLast(t *testing.T) {
	r := newRig("", true)
	if w := r.ask("GET", "/api/v1/jobs/8/stacks"); w.Code != http.StatusNotFound {
		t.Errorf("of no job: %d", w.Code)
	}
	if w := r.ask("GET", "/api/v1/jobs/7/stacks"); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "stacks") {
		t.Errorf("before its ranks were asked: %d, %s", w.Code, w.Body)
	}
	store := world(time.Now())
	store.Apply(cluster.Event{At: time.Now(), Stacks: verdict()})
	r = rigOf(Options{Local: true, Snapshot: store.Snapshot})
	if w := r.ask("GET", "/api/v1/jobs/7/stacks"); !strings.Contains(w.Body.String(), `"function":"read_shard"`) {
		t.Errorf("%d, %s", w.Code, w.Body)
	}
}

// The GPU for which a job waits that stands still is marked, as on the screen; its page and the stacks say why. How far
// the job is stands above its numbers.
func TestAwaitedGPU(t *testing.T) {
	t.Parallel()
	b := chromium.New(t)
	store := world(time.Now())
	step, total, loss := int64(41_200), int64(100_000), 2.31
	store.Apply(cluster.Event{At: time.Now(), Progress: &cluster.JobProgress{Job: "7", Progress: progress.Progress{Form: "general",
		At: time.Now(), Step: &step, Total: &total, Loss: &loss}}})
	store.Apply(cluster.Event{At: time.Now(), Stacks: verdict()})
	s := siteOf(t, store, func(s *cluster.Snapshot) {
		s.Jobs[0].Findings = append([]cluster.Finding{{Kind: cluster.KindJobHang, Severity: cluster.Warning, Job: "7", GPU: -1,
			Since: s.At.Add(-time.Minute), Compared: &cluster.Comparison{Count: 1, Of: 2,
				Places: []cluster.Differing{{Node: "n1", Number: 1, Key: "GPU-b"}}}}}, s.Jobs[0].Findings...)
	})
	for _, look := range []chromium.Look{{Width: 390, Height: 844, Dark: true}, {Width: 1440, Height: 900}} {
		if err := b.See(look); err != nil {
			t.Fatal(err)
		}
		for address, want := range map[string][]string{
			"#/job/7":   {"step 41,200 of 100,000", "loss 2.31", "the job", "GPU1 awaited"},
			"#/node/n1": {"Awaited by the job."},
			"#/stacks/7": {"Rank 0 is in read_shard", "3 of 4 processes read", "ranks 1, 2 (2)", "read_shard", hostile + "/train.py:20",
				"more outside", "ptrace is forbidden", "nvnodetop stacks 7"},
		} {
			s.report(90, 91)
			if err := errors.Join(b.Open("about:blank"), b.Open(s.URL+"/"+address), b.Wait("document.querySelector('main section')")); err != nil {
				t.Fatalf("%s: %v", address, err)
			}
			checkPage(t, b, address, look, want)
		}
	}
	var title string
	if err := errors.Join(b.Open(s.URL+"/#/job/7"), b.Wait("document.querySelector('a.cell.warning')"),
		b.Eval("document.querySelector('a.cell.warning').title", &title)); err != nil || !strings.HasPrefix(title, "n1 GPU1, 91I") {
		t.Errorf("%q, %v", title, err)
	}
}

// verdict is what the ranks of the job have said: one reads a file, and two wait for it.
func verdict() *rankstacks.Verdict {
	frame := func(function string) []rankstacks.Frame {
		return []rankstacks.Frame{{Function: function, File: hostile + "/train.py", Line: 20}}
	}
	return &rankstacks.Verdict{Version: rankstacks.Version, Job: "7", Time: time.Now(), State: rankstacks.Stuck,
		Said: []string{"Rank 0 is in read_shard, and 2 wait for it."}, Asked: 4, Read: 3,
		Groups: []rankstacks.Group{
			{Members: "rank 0", Outlier: true, Ranks: make([]rankstacks.Rank, 1), Frames: frame("read_shard")},
			{Members: "ranks 1, 2", Ranks: make([]rankstacks.Rank, 2), Frames: frame("all_reduce"), Deeper: true}},
		Refused: []rankstacks.Refusal{{ID: "not_permitted", Members: "rank 3", Cause: "ptrace is forbidden", Hint: "ask your admins",
			Count: 1}}}
}
