package store

import (
	"strconv"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
)

// What the ranks do is kept of the jobs that were asked last, in the order of the questions, and NCCL's word with it.
func TestStacksOfTheLastJobs(t *testing.T) {
	s := New(time.Second, nil)
	var d cluster.Discovery
	for i := range 40 {
		d.Jobs = append(d.Jobs, cluster.Job{ID: strconv.Itoa(i)})
	}
	s.Apply(cluster.Event{Discovery: &d})
	asked := func(id int) {
		s.Apply(cluster.Event{Stacks: &rankstacks.Verdict{Job: strconv.Itoa(id)}})
	}
	asked(7)
	s.paces["7"] = &jobPace{coupled: s.stacks["7"]}
	for i := range 40 {
		asked(i)
	}
	s.paces["30"] = &jobPace{coupled: s.stacks["30"]}
	asked(24)
	asked(3)
	asked(1000) // SLURM does not list it
	snap := s.Snapshot(time.Now())
	if len(snap.Stacks) != cluster.KeptStacks {
		t.Errorf("%d are kept", len(snap.Stacks))
	}
	for id, want := range map[string]bool{"0": false, "3": true, "7": false, "24": true, "25": false, "26": true,
		"39": true, "1000": false} {
		if (snap.Stacks[id] != nil) != want {
			t.Errorf("job %s: %v", id, !want)
		}
	}
	if s.paces["7"].coupled != nil || s.paces["30"].coupled == nil {
		t.Error("NCCL's word goes with the stacks of its job")
	}
}
