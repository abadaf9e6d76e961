package source

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/joblog/runs"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// New faults of the nodes of the user's own jobs are kept, and written once.
func TestFaultsOfNodesAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	at := time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC)
	lost := cluster.Finding{Kind: cluster.KindLost, Severity: cluster.Critical, Node: "n07"}
	s := &cluster.Snapshot{At: at, Jobs: []cluster.JobView{
		{Job: cluster.Job{ID: "48102", User: "alice", Name: "train"}, Findings: []cluster.Finding{lost,
			{Kind: cluster.KindJobIdle, Severity: cluster.Warning, Node: "n08"}}},
		{Job: cluster.Job{ID: "48103", User: "bob"}, Findings: []cluster.Finding{lost}},
		{Job: cluster.Job{ID: "48104", User: "alice"}},
	}}
	known := map[string]runs.Run{}
	keepNewFaults(s, path, "alice", known)
	all, err := runs.Read(path, at)
	if err != nil || len(all) != 1 || all[0].Job != "48102" || len(all[0].Faults) != 1 ||
		all[0].Faults[0] != (runs.Fault{Node: "n07", Kind: cluster.KindLost, Failure: true}) {
		t.Fatalf("%+v, %v", all, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if keepNewFaults(s, path, "alice", known); fileExists(path) {
		t.Error("the same was written again")
	}
	s.Jobs[0].Findings[0].Node = "n09"
	keepNewFaults(s, path, "alice", known)
	if all, _ = runs.Read(path, at); len(all) != 1 || len(all[0].Faults) != 2 {
		t.Errorf("after another one: %+v", all)
	}
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A source without jobs, or that keeps nothing, keeps no faults.
func TestWhoKeepsFaults(t *testing.T) {
	live := &Live{Runs: "/state/runs.jsonl", progress: &progress{runs: keptRuns{user: "alice"}}}
	if path, _ := NewFallback(live, nil).KeepsRuns(); path != "" {
		t.Errorf("without a progress it keeps %q", path)
	}
	live.Progress = true
	f := NewFallback(live, nil)
	if path, user := f.KeepsRuns(); path != live.Runs || user != "alice" {
		t.Errorf("%q of %q", path, user)
	}
	f.from = &Hosts{}
	if path, _ := f.KeepsRuns(); path != "" {
		t.Errorf("hosts keep %q", path)
	}
}

// keeper is a source that keeps what is known of jobs. One GPU of its job has failed.
type keeper struct{ path string }

func (k keeper) KeepsRuns() (path, user string) { return k.path, "alice" }

func (k keeper) Run(ctx context.Context, emit func(cluster.Event)) error {
	tell := func(e cluster.Event) {
		e.At = time.Now()
		emit(e)
	}
	tell(cluster.Event{Discovery: &cluster.Discovery{User: "alice", Answered: time.Now(), Jobs: []cluster.Job{{ID: "7",
		Number: "7", User: "alice", Nodes: []string{"n1"}, Minors: map[string][]int{"n1": {0}}}}}})
	tell(cluster.Event{Node: "n1", Try: &cluster.Try{Interval: time.Second}})
	tell(cluster.Event{Node: "n1", Hello: &wire.Hello{GPUs: []wire.Card{{UUID: "x", Minor: new(0)}}}})
	for at := int64(1); pause(ctx, time.Second); at++ {
		tell(cluster.Event{Node: "n1", Report: &wire.Report{MonoMS: 1000 * at,
			GPUs: []wire.GPU{{Values: metric.Make(map[metric.ID]float64{metric.RemapFailed: 1})}}}})
	}
	return nil
}

// A watch keeps the faults that its rules find, within a minute.
func TestAWatchKeepsFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := keeper{filepath.Join(t.TempDir(), "runs.jsonl")}
		cfg := config.Default()
		w := OpenWatch(t.Context(), &cfg, 0, k)
		time.Sleep(faultsEvery + time.Second)
		synctest.Wait()
		all, err := runs.Read(k.path, time.Now())
		if err != nil || len(all) != 1 || all[0].Job != "7" || len(all[0].Faults) != 1 ||
			all[0].Faults[0] != (runs.Fault{Node: "n1", Kind: cluster.KindRemapFailed, Failure: true}) {
			t.Errorf("%+v, %v", all, err)
		}
		if err := w.Stop(time.Second); err != nil {
			t.Error(err)
		}
		synctest.Wait()
	})
}
