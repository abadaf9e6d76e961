package app

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// oneNode is a Store after the Hello of the only node of a job, which has n GPUs.
func oneNode(n int, minors map[string][]int) (*cluster.Store, time.Time) {
	now := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	s := cluster.NewStore(time.Second, health.Holding)
	slurmSays(s, now, minors)
	hello := &wire.Hello{}
	for i := range n {
		hello.GPUs = append(hello.GPUs, wire.Card{Index: i, UUID: string(rune('a' + i)), Minor: new(i)})
	}
	s.Apply(cluster.Event{At: now, Node: "n1", Try: &cluster.Try{Interval: time.Second}})
	s.Apply(cluster.Event{At: now, Node: "n1", Hello: hello})
	return s, now
}

// slurmSays applies a Discovery of one job. Without minors it is still asking for them.
func slurmSays(s *cluster.Store, at time.Time, minors map[string][]int) {
	jobs := []cluster.Job{{ID: "1", Number: "1", Nodes: []string{"n1"}, Minors: minors}}
	s.Apply(cluster.Event{At: at, Discovery: &cluster.Discovery{Asked: at, Answered: at, Jobs: jobs, Asking: minors == nil}})
}

// A GPU is missing also if SLURM says only after the report which GPUs the job has.
func TestOnceFindsWhatIsMissingAfterTheReport(t *testing.T) {
	s, now := oneNode(1, nil)
	s.Apply(cluster.Event{At: now, Node: "n1", Report: &wire.Report{}})
	if settled(s.Snapshot(now)) {
		t.Error("settled while SLURM is asked for the GPUs")
	}
	slurmSays(s, now, map[string][]int{"n1": {0, 1}})
	snap := s.Snapshot(now)
	if err := exitCode(snap); !settled(snap) || err == nil {
		t.Errorf("settled %v, exit code of %v", settled(snap), err)
	}
}
