package tally

import (
	"slices"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/pastgpu"
)

var gap = history.Gap

// node has a busy GPU, a young GPU with a gap, and a slow GPU.
func node() *cluster.Node {
	return &cluster.Node{Name: "n", State: cluster.NodeReporting, GPUs: []cluster.GPU{
		pastgpu.New(0, []float32{90, 92, gap, 94}, []float32{60, 61, gap, 63}),
		pastgpu.New(1, []float32{gap, 96}, []float32{gap, 70}),
		pastgpu.New(2, []float32{40, 42, gap, 44}, []float32{80, 50, gap, 51}),
	}}
}

func TestSlowest(t *testing.T) {
	n := node()
	if low, standsOut := Slowest(All(n)); low.GPU != &n.GPUs[2] || !standsOut {
		t.Errorf("the slowest is %+v, stands out: %v", low, standsOut)
	}
	if low, standsOut := Slowest(All(n)[:2]); low.GPU != &n.GPUs[0] || standsOut {
		t.Errorf("of two that are alike the slowest is %+v, stands out: %v", low, standsOut)
	}
	if low, _ := Slowest([]*cluster.GPU{{GPU: &wire.GPU{}}}); low.GPU != nil {
		t.Errorf("%+v has no utilisation", low.GPU)
	}
}

func TestTotalsCountWhatIsKnown(t *testing.T) {
	n := node()
	n.GPUs = append(n.GPUs, cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}})
	total := Total(All(n))
	if total.GPUs != 4 || total.Util.Count != 3 || total.Util.Value != 78 || total.Temperature.GPU != &n.GPUs[1] ||
		total.Counted() != 3 {
		t.Errorf("%+v, %d counted", total, total.Counted())
	}
}

// How a number is summed over GPUs follows from its row alone.
func TestOf(t *testing.T) {
	gpus := []*cluster.GPU{{GPU: &wire.GPU{}}, {GPU: &wire.GPU{}}, {GPU: &wire.GPU{}}, {GPU: &wire.GPU{}}}
	for i, g := range gpus[1:] {
		v := []float64{30, 10, 20}[i]
		g.Values = metric.Make(map[metric.ID]float64{metric.MemUtil: v, metric.ECCUncorrected: v, metric.MemClock: v,
			metric.MemoryTemperature: v})
	}
	gpus[1].Values.Set(metric.Util, 1)
	for id, want := range map[metric.ID]Sum{
		metric.ECCUncorrected: {Value: 60}, metric.MemUtil: {Value: 20}, metric.MemClock: {Value: 10, GPU: gpus[2]},
		metric.MemoryTemperature: {Value: 30, GPU: gpus[1]},
	} {
		got := Of(gpus, id)
		if got.Value != want.Value || got.Count != 3 || want.GPU != nil && got.GPU != want.GPU {
			t.Errorf("%v: %+v", id, got)
		}
	}
	if got := Of(gpus, metric.MemUtil, metric.Util); got.Count != 1 || got.Value != 30 {
		t.Errorf("of the GPU that has both: %+v", got)
	}
	if got := Of(gpus, metric.Power); got.Known() || got.Value == got.Value {
		t.Errorf("what no GPU gives: %+v", got)
	}
}

// Only a node that streams counts for the job, and of that only the job's GPUs.
func TestFresh(t *testing.T) {
	n, old := node(), node()
	old.Name, old.State = "old", cluster.NodeStale
	job := &cluster.JobView{Job: cluster.Job{ID: "1", Nodes: []string{"n", "old", "unknown"},
		Minors: map[string][]int{"n": {0, 2}}}}
	s := &cluster.Snapshot{Nodes: map[string]*cluster.Node{"n": n, "old": old}}
	if got := Fresh(s, job); !slices.Equal(got, []*cluster.GPU{&n.GPUs[0], &n.GPUs[2]}) {
		t.Errorf("%d GPUs are fresh", len(got))
	}
	if got := NodeOf(s, job, &old.GPUs[1]); got != "old" {
		t.Errorf("the GPU is in %q", got)
	}
}

func TestOwnerOf(t *testing.T) {
	n := node()
	for i := range n.GPUs {
		n.GPUs[i].Index = 5 - i
	}
	n.Processes = []wire.Process{{GPU: 5, Identity: wire.Identity{User: "bob"}},
		{GPU: 4, Identity: wire.Identity{User: "dave", Job: "9"}}}
	job := cluster.JobView{Job: cluster.Job{ID: "1", User: "alice", Minors: map[string][]int{"n": {2}}}}
	other := cluster.JobView{Job: cluster.Job{ID: "2", User: "carol", Minors: map[string][]int{"n": {1}}}}
	s := &cluster.Snapshot{Jobs: []cluster.JobView{job, other}}
	for i, want := range []Owner{{"bob", ""}, {"carol", "2"}, {}} {
		if got := OwnerOf(s, &job, n, &n.GPUs[i]); got != want {
			t.Errorf("GPU %d is %v's, want %v", i, got, want)
		}
	}
}

// The GPUs that a job's own cgroup shows are that job's; another job on the node has others, and it is not known which.
func TestOwnerByCgroup(t *testing.T) {
	at := time.Unix(1000, 0)
	s := store.New(3*time.Second, func(cluster.Subject) []cluster.Condition { return nil })
	s.Apply(cluster.Event{At: at, Discovery: &cluster.Discovery{Jobs: []cluster.Job{
		{ID: "1", Number: "1", Nodes: []string{"a"}, Counts: map[string]int{"a": 1}},
		{ID: "2_1", Number: "7", User: "carol", Nodes: []string{"a"}, Counts: map[string]int{"a": 1}},
	}}})
	s.Apply(cluster.Event{At: at, Node: "a", Try: &cluster.Try{Interval: time.Second}})
	s.Apply(cluster.Event{At: at, Node: "a",
		Hello: &wire.Hello{Job: "7", GPUs: []wire.Card{{UUID: "x", Minor: new(3)}}}})
	s.Apply(cluster.Event{At: at, Node: "a", Report: &wire.Report{GPUs: []wire.GPU{{}}}})
	snap := s.Snapshot(at)
	n := snap.Nodes["a"]
	if got := OwnerOf(snap, &snap.Jobs[0], n, &n.GPUs[0]); got != (Owner{"carol", "2_1"}) {
		t.Errorf("the owner is %+v", got)
	}
	if Prove(snap, &snap.Jobs[0]).Named || !Prove(snap, &snap.Jobs[1]).Named {
		t.Error("which GPUs are whose")
	}
}
