package tally

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
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
