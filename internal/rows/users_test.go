package rows

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// powered is a node with GPUs, numbered from 4, that draw 100 W and 1 W more each.
func powered(name string, gpus int) *cluster.Node {
	n := &cluster.Node{Name: name, State: cluster.NodeReporting, Listed: true}
	for i := range gpus {
		n.GPUs = append(n.GPUs, cluster.GPU{Card: &wire.Card{}, Number: i + 4, Key: fmt.Sprint(name, i),
			GPU: &wire.GPU{Index: i, Values: metric.Make(map[metric.ID]float64{metric.Power: 100 + float64(i)})}})
	}
	return n
}

// Processes and GPUs count once, and so does the power of GPUs with a single user.
func TestUsersOf(t *testing.T) {
	n1, n2 := powered("n1", 3), powered("n2", 1)
	who := func(pid, gpu int, user, job string, held uint64, age int64) wire.Process {
		return wire.Process{PID: pid, GPU: gpu, Identity: wire.Identity{User: user, Job: job,
			Name: fmt.Sprint("p", pid)}, GPUMemory: &held, ElapsedSec: &age}
	}
	n1.Processes = []wire.Process{who(1, 0, "alice", "16", 10, 50), who(1, 1, "alice", "16", 10, 50),
		who(2, 1, "bob", "90", 5, 70), {PID: 3, GPU: 2, Identity: wire.Identity{Foreign: true}}}
	n2.Processes = []wire.Process{who(1, 0, "alice", "17", 7, 60), who(4, 9, "bob", "", 1, 10)}
	s := &cluster.Snapshot{Discovery: cluster.Discovery{User: "alice"},
		Nodes: map[string]*cluster.Node{"n1": n1, "n2": n2}}
	s.Jobs = []cluster.JobView{{Job: cluster.Job{ID: "2_1", Number: "16"}}, {Job: cluster.Job{ID: "2_2", Number: "17"}}}
	var got []string
	for _, u := range UsersOf(s, nil) {
		longest := int64(-1)
		if u.Longest != nil {
			longest = *u.Longest
		}
		got = append(got, fmt.Sprintf("%q mine %v: %d nodes %d GPUs %d procs %gB %gW %ds %q %s", u.User, u.Mine,
			u.Nodes, u.GPUs, u.Procs, u.Memory, u.Power, longest, u.Command, strings.Join(u.Jobs, ",")))
	}
	want := []string{
		`"" mine false: 1 nodes 1 GPUs 1 procs NaNB 102W -1s "" `,
		`"alice" mine true: 2 nodes 3 GPUs 2 procs 27B 200W 60s "p1" 2_1,2_2`,
		`"bob" mine false: 2 nodes 1 GPUs 2 procs 6B NaNW 70s "p2" 90`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for only, want := range map[string]string{"4": "alice 2 200W, bob 0 NaNW", "5": "alice 1 NaNW, bob 1 NaNW",
		"6": " 1 102W, bob 0 NaNW", "9": "bob 0 NaNW"} {
		var got []string
		for _, u := range UsersOf(s, tally.Only{only}) {
			got = append(got, fmt.Sprintf("%s %d %gW", u.User, u.GPUs, u.Power))
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("--only %s: %s, want %s", only, got, want)
		}
	}
}
