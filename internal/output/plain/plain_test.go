package plain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

var now = time.Date(2026, 11, 20, 18, 42, 7, 0, time.UTC)

// snapshot has a job on a node that reports and a node that does not.
func snapshot() *cluster.Snapshot {
	n1 := &cluster.Node{Name: "n1", State: cluster.NodeReporting, Arrived: now, Hello: &wire.Hello{}, Listed: true}
	n1.Host.Values = metric.Make(map[metric.ID]float64{metric.CPU: 33, metric.HostMemoryUsed: 4 << 30,
		metric.HostMemoryTotal: 8 << 30})
	for i, v := range []metric.Values{
		metric.Make(map[metric.ID]float64{metric.Util: 24, metric.MemoryUsed: 41 << 30, metric.MemoryTotal: 80 << 30,
			metric.Temperature: 71}), {}, {}} {
		n1.GPUs = append(n1.GPUs, cluster.GPU{GPU: &wire.GPU{Index: i, Values: v}, Card: &wire.Card{}, Number: i,
			Key: "GPU-" + string(rune('a'+i))})
	}
	n1.GPUs[2].Lost = "GPU is lost"
	n1.Processes = []wire.Process{{PID: 7, GPU: 0, GPUMemory: new(uint64(40 << 30)), Identity: wire.Identity{User: "alice",
		Command: "python train.py", Job: "3", Rank: &wire.Rank{Rank: 5}}}}
	n2 := &cluster.Node{Name: "n2", State: cluster.NodeFailed, Arrived: now.Add(-time.Minute),
		Failure: &reach.Failure{Short: "login refused"}}
	job := cluster.JobView{Job: cluster.Job{ID: "3", Number: "3", Name: "train", User: "alice", Nodes: []string{"n1", "n2"},
		Start: now.Add(-time.Hour), End: now.Add(30 * time.Minute)}, Reporting: 1, GPUs: 3, GPUsSeen: 2}
	job.Findings = []cluster.Finding{{Kind: cluster.KindLost, Severity: cluster.Critical, Since: now.Add(-time.Minute), Job: "3",
		Node: "n1", GPU: 2, Key: "GPU-c"}}
	return &cluster.Snapshot{At: now, Jobs: []cluster.JobView{job}, Nodes: map[string]*cluster.Node{"n1": n1, "n2": n2},
		Discovery: cluster.Discovery{User: "alice", Answered: now, Pending: []cluster.PendingJob{{ID: "4", Name: "next",
			Nodes: 2, GPUs: new(8), Reason: "Priority"}}}}
}

// Each line is one fact that can be read alone. What is not known has no words.
func TestLines(t *testing.T) {
	want := []string{
		"job 3 train: has been running for 1h, 1 of 2 nodes report, 2 of 3 GPUs report, 30m left, mean utilization 24 %.",
		"n1 GPU 2: critical for 1m: GPU lost",
		"n1: reports, CPU 33 %, host memory 4.0 of 8.0 GiB.",
		"n1 GPU 0: utilization 24 %, memory 41.0 of 80.0 GiB, 71 °C, rank 5.",
		"n1 GPU 1: reports no number.",
		"n1 GPU 2: lost (GPU is lost).",
		"n1 GPU 0: process 7 of alice, rank 5, GPU memory 40.0 GiB, command python train.py.",
		"n2: does not report: login refused, last seen 18:41:07.",
		"job 4 next: waits: Priority, 2 nodes, 8 GPUs.",
	}
	got := Lines(snapshot(), nil)
	if len(got) != len(want) {
		t.Fatalf("%d lines:\n%s", len(got), strings.Join(got, "\n"))
	}
	for i, line := range got {
		if !strings.HasPrefix(line, want[i]) || !strings.HasSuffix(line, ".") || strings.ContainsAny(line, "\n━│▲") {
			t.Errorf("%q, want %q", line, want[i])
		}
	}
	if got := Lines(snapshot(), tally.Only{"1"}); len(got) != 6 || got[3] != "n1 GPU 1: reports no number." {
		t.Errorf("of GPU 1:\n%s", strings.Join(got, "\n"))
	}
	s := snapshot()
	s.Jobs, s.Discovery.Failure = nil, &reach.Failure{Short: "slurmctld not responding"}
	if got := Lines(s, nil); !slices.Equal(got[:2], []string{"SLURM: slurmctld not responding.",
		"SLURM: no job of alice runs."}) {
		t.Errorf("without a job: %q", got)
	}
}

// The first Snapshot is said in full, and then only what changes.
func TestFollower(t *testing.T) {
	var w Follower
	step := func(change func(s *cluster.Snapshot), want ...string) {
		t.Helper()
		s := snapshot()
		change(s)
		got := w.See(s)
		if len(got) != len(want) {
			t.Fatalf("%q, want %q", got, want)
		}
		for i := range want {
			if !strings.HasPrefix(got[i], "18:42:07 "+want[i]) {
				t.Errorf("%q, want %q", got[i], want[i])
			}
		}
	}
	if got := w.See(snapshot()); len(got) != len(Lines(snapshot(), nil)) || !strings.HasPrefix(got[0], "18:42:07 job 3") {
		t.Fatalf("first:\n%s", strings.Join(got, "\n"))
	}
	step(func(*cluster.Snapshot) {})
	step(func(s *cluster.Snapshot) { s.Nodes["n1"].GPUs[0].Values = metric.Values{} }) // numbers are no change
	step(func(s *cluster.Snapshot) { s.Nodes["n2"].State = cluster.NodeReporting }, "n2: reports.")
	step(func(s *cluster.Snapshot) { s.Jobs[0].Findings = nil }, "n2: does not report: login refused",
		"n1 GPU 2: over: lost.")
	step(func(s *cluster.Snapshot) { s.Jobs[0].Findings[0].Severity = cluster.Waiting })
	step(func(s *cluster.Snapshot) { s.Jobs[0].Findings[0].Severity = cluster.Warning }, "n1 GPU 2: warning for 1m: GPU lost")
	step(func(*cluster.Snapshot) {}, "n1 GPU 2: critical for 1m: GPU lost")
	step(func(s *cluster.Snapshot) {
		s.Jobs = nil
		s.Discovery.Ended = []cluster.EndedJob{{ID: "3", State: "FAILED", Cause: "rank 1: ValueError"}}
	}, "job 3 train: has ended: failed: rank 1: ValueError.", "n1 GPU 2: over: lost.")
}
