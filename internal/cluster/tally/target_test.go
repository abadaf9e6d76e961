package tally

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func TestTargets(t *testing.T) {
	rank := &wire.Rank{Rank: 3, From: "RANK"}
	process := func(pid, gpu int, who wire.Identity) wire.Process {
		return wire.Process{PID: pid, StartTicks: 100, GPU: gpu, Identity: who}
	}
	train := wire.Identity{User: "alice", UID: new(20), Name: "python", Command: "python train.py", Job: "16",
		Rank: rank}
	unnamed := wire.Identity{User: "20", UID: new(20), Name: "python", Directory: "/home", Job: "16"}
	n := &cluster.Node{
		Name: "n1", GPUs: []cluster.GPU{{GPU: &wire.GPU{Index: 0}, Number: 4}, {GPU: &wire.GPU{Index: 1}, Number: 5},
			{GPU: &wire.GPU{Index: 2}, Number: cluster.NoNumber}},
		Processes: []wire.Process{
			process(7, 0, train), process(7, 1, train), process(8, 1, unnamed),
			process(9, 2, wire.Identity{User: "bob", Job: "90", Name: "gmx"}),
			{PID: 10, GPU: 0, Identity: wire.Identity{Foreign: true}},
			process(11, 0, wire.Identity{User: "30", UID: new(30)}),
		},
	}
	s := &cluster.Snapshot{Discovery: cluster.Discovery{User: "alice"}, Nodes: map[string]*cluster.Node{"n1": n}}
	s.Jobs = []cluster.JobView{{Job: cluster.Job{ID: "2_1", Number: "16", User: "alice", Nodes: []string{"n1", "n2"},
		Minors: map[string][]int{"n1": {7}}}}}
	want := []Target{
		{Node: "n1", ProcessID: wire.ProcessID{PID: 7, StartTicks: 100}, GPUs: []int{4, 5}, User: "alice",
			Command: "python train.py", Rank: rank, Job: "2_1", Mine: true},
		{Node: "n1", ProcessID: wire.ProcessID{PID: 8, StartTicks: 100}, GPUs: []int{5}, User: "20", Command: "python",
			Job: "2_1", Mine: true},
		{Node: "n1", ProcessID: wire.ProcessID{PID: 9, StartTicks: 100}, User: "bob", Command: "gmx", Job: "90"},
		{Node: "n1", ProcessID: wire.ProcessID{PID: 10}, GPUs: []int{4}},
		{Node: "n1", ProcessID: wire.ProcessID{PID: 11, StartTicks: 100}, GPUs: []int{4}, User: "30"},
	}
	if diff := cmp.Diff(want[:2], Targets(s, &s.Jobs[0])); diff != "" {
		t.Errorf("of the job: %s", diff)
	}
	for i, which := range []int{0, 0, 1, 2, 3, 4} { // the first is on two GPUs
		if diff := cmp.Diff(want[which], TargetOf(s, n, &n.Processes[i])); diff != "" {
			t.Errorf("process %d: %s", i, diff)
		}
	}
	var refusals []string
	for i := range want {
		refusals = append(refusals, want[i].Refusal())
	}
	if !slices.Equal(refusals, []string{"", "", "belongs to bob",
		"not in /proc of the node: it cannot be told from another process", "belongs to 30"}) {
		t.Errorf("refusals: %q", refusals)
	}
}
