package tally

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// held is a node whose GPUs have these utilizations, and draw 100 W plus their number.
func held(name string, utils ...float64) *cluster.Node {
	n := &cluster.Node{Name: name, State: cluster.NodeReporting, Listed: true}
	for i, util := range utils {
		g := cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}, Number: i + 4, Key: fmt.Sprint(name, i)}
		g.Index = i
		g.Values = metric.Make(map[metric.ID]float64{metric.Util: util, metric.Power: 100 + float64(i),
			metric.PowerLimit: 400})
		n.GPUs = append(n.GPUs, g)
	}
	return n
}

// A row has the sums over the job's GPUs on reporting nodes, its worst problem, and SLURM's word on jobs that wait or
// have ended.
func TestJobs(t *testing.T) {
	s := &cluster.Snapshot{Nodes: map[string]*cluster.Node{"n1": held("n1", 90, 92), "n2": held("n2", 91, 25),
		"n3": {Name: "n3", State: cluster.NodeFailed}}}
	on := func(id string, nodes ...string) cluster.JobView {
		j := cluster.JobView{Job: cluster.Job{ID: id, Nodes: nodes, Minors: map[string][]int{}}}
		for _, name := range nodes {
			j.Minors[name] = []int{4, 5}
		}
		return j
	}
	train, task, stopped := on("1", "n1", "n2", "n3"), on("2_1", "n1"), on("4", "n3")
	train.GPUs = 6
	train.Findings = []cluster.Finding{
		{Kind: cluster.KindFailed, Severity: cluster.Critical, Node: "n3"},
		{Kind: cluster.KindLag, Severity: cluster.Warning, Node: "n2"},
		{Kind: cluster.KindConnecting, Severity: cluster.Waiting}, {Kind: cluster.KindECC, Severity: cluster.Critical,
			Over: time.Unix(9, 0)},
	}
	task.Minors = map[string][]int{"n1": {4}}
	task.GPUs = 1
	task.Findings = []cluster.Finding{{Kind: cluster.KindOldDriver, Severity: cluster.Note}}
	stopped.Suspended, stopped.Minors = true, nil
	s.Jobs = []cluster.JobView{train, task, stopped}
	s.Discovery.Pending = []cluster.PendingJob{{ID: "5", Nodes: 2, GPUs: new(8)}, {ID: "6", Booting: true}}
	s.Discovery.Ended = []cluster.EndedJob{{ID: "7", State: cluster.JobFailed, Nodes: 1}, {ID: "8"},
		{ID: "9", State: cluster.JobCompleting}}
	var got []string
	for _, r := range Jobs(s) {
		text := fmt.Sprintf("%s %s %s %d nodes", r.ID, r.State.Code, r.State.Word, r.Nodes)
		if r.GPUs != nil {
			text += fmt.Sprintf(" %d GPUs", *r.GPUs)
		}
		if r.Util.Known() {
			text += fmt.Sprintf(" %.1f%% low %g on %q %g/%gW", r.Util.Value, r.Low.Value, r.LowOn, r.Power.Value,
				r.PowerLimit.Value)
		}
		if r.Worst != nil {
			text += fmt.Sprintf(" %s and %d", r.Worst.Kind, r.Problems)
		}
		got = append(got, text)
	}
	want := []string{
		`1 R running 3 nodes 6 GPUs 74.5% low 25 on "n2" 402/1600W node_failed and 2`,
		`2_1 R running 1 nodes 1 GPUs 90.0% low 90 on "" 100/400W`, "4 S suspended 1 nodes",
		"5 PD pending 2 nodes 8 GPUs", "6 CF booting 0 nodes", "7 F failed 1 nodes", "8 – ended 0 nodes",
		"9 CG ending 0 nodes",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Processes and GPUs count once, and so does the power of GPUs with a single user.
func TestUsers(t *testing.T) {
	n1, n2 := held("n1", 90, 91, 92), held("n2", 80)
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
	for _, u := range Users(s, nil) {
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
		for _, u := range Users(s, Only{only}) {
			got = append(got, fmt.Sprintf("%s %d %gW", u.User, u.GPUs, u.Power))
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("--only %s: %s, want %s", only, got, want)
		}
	}
}
