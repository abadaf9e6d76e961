package store

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// A failed node keeps its last values, beside its present numbers, of which there are none. They go when reports come
// again, or with the node.
func TestPast(t *testing.T) {
	w := newWorld()
	w.jobs(0, cluster.Job{ID: "1", Nodes: []string{"a"}})
	w.try(0, "a")
	w.hello(0, "a", 2)
	for sec := range 20 {
		w.report(float64(3*sec), "a", sec, 50)
	}
	w.Apply(cluster.Event{At: at(58), Node: "a", Report: &wire.Report{
		MonoMS: 59_000, Listed: true, GPUs: []wire.GPU{{Values: metric.Make(map[metric.ID]float64{metric.Util: 97})},
			{Index: 1}}, Processes: []wire.Process{{PID: 7}},
		Host: wire.Host{Values: metric.Make(map[metric.ID]float64{metric.Load: 3})},
	}})
	w.down(59, "a", reach.ClassClosed)
	if n := w.node(60, "a"); n.State != cluster.NodeStale || n.Past != nil || len(n.GPUs) != 2 {
		t.Fatalf("a moment after the loss: %s, past %v, %d GPUs", n.State, n.Past, len(n.GPUs))
	}
	snap := w.Snapshot(at(4000)) // an hour later
	n := snap.Nodes["a"]
	if n.State != cluster.NodeFailed || len(n.GPUs) != 0 || len(n.Processes) != 0 || n.Past == nil {
		t.Fatalf("later: %s, %d GPUs, %d processes, past %v", n.State, len(n.GPUs), len(n.Processes), n.Past)
	}
	if j := snap.Jobs[0]; j.Reporting != 0 || j.GPUsSeen != 0 || j.GPUs != 0 {
		t.Errorf("the job counts %d nodes and %d of %d GPUs", j.Reporting, j.GPUsSeen, j.GPUs)
	}
	was := n.AsSeen()
	if util := was.GPUs[0].Float(metric.Util); was.State != cluster.NodeFailed || util != 97 ||
		was.Host.Float(metric.Load) != 3 || !was.Listed || was.Processes[0].PID != 7 || !was.Arrived.Equal(at(58)) {
		t.Errorf("it was %+v", was)
	}
	if bins := was.GPUs[0].History.Tail(nil, metric.Util, at(57).UnixNano()/int64(poll), 3); bins[0] != 17 ||
		bins[1] != 18 || bins[2] != 58 {
		t.Errorf("its history ends with %v", bins) // 58: the mean of 19 and 97
	}
	if again := w.node(4001, "a"); again.Past != n.Past {
		t.Error("the past is made anew for each Snapshot")
	}
	if f := w.Fork().Snapshot(at(4000)).Nodes["a"]; f.Past != n.Past {
		t.Error("a fork has another past")
	}
	w.try(4002, "a")
	w.hello(4003, "a", 2)
	w.report(4003, "a", 11, 12)
	if back := w.node(4004, "a"); back.Past != nil || len(back.GPUs) != 2 || was.GPUs[0].Float(metric.Util) != 97 {
		t.Errorf("back: past %v, %d GPUs", back.Past, len(back.GPUs))
	}
	w.Apply(cluster.Event{At: at(4005), Node: "a", Gone: true})
	if n := w.node(4006, "a"); n.Past != nil || len(w.nodes) != 0 {
		t.Errorf("the node is gone, and has the past %v", n.Past)
	}
}

// A node that lists its processes too seldom shows in its past no list that was old even then.
func TestPastWithoutAnOldList(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	w.hello(0, "a", 1)
	w.Apply(cluster.Event{At: at(0), Node: "a", Report: &wire.Report{MonoMS: 1000, Listed: true,
		Processes: []wire.Process{{PID: 7}}}})
	for sec := 3; sec <= 600; sec += 3 {
		w.report(float64(sec), "a", 50)
	}
	w.down(601, "a", reach.ClassClosed)
	if n := w.Node("a", at(700)); n.Past == nil || n.Past.Listed || n.Past.Processes != nil {
		t.Errorf("its past is %+v", n.Past)
	}
}

func BenchmarkSnapshotOfFailedNodes(b *testing.B) {
	w := many(1000, 1<<20)
	for name := range w.nodes {
		w.down(8, name, reach.ClassClosed)
	}
	for b.Loop() {
		w.Snapshot(at(100))
	}
}
