package store

import (
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// SLURM may name the GPUs of a job after the node has reported: missing GPUs are then found at once.
func TestGPUsThatAreKnownAfterTheReport(t *testing.T) {
	w := oneNode()
	w.report(1, "a", 50)
	w.expect(t, 1, "")
	w.jobs(2, cluster.Job{ID: "1", Nodes: []string{"a"}, Minors: map[string][]int{"a": {0, 1}}})
	w.expect(t, 2, "gpu_missing a/-1 2-")
	if f := w.Snapshot(at(2)).Jobs[0].Findings; !f[0].Before {
		t.Error("it is missing since SLURM said so, not before")
	}
	w.jobs(3, cluster.Job{ID: "1", Nodes: []string{"a"}, Minors: map[string][]int{"a": {0}}})
	w.expect(t, 3, "gpu_missing a/-1 2-2")
}

// The job's list of GPUs, which comes after the report, gives a lost GPU and its finding their number. An earlier
// Snapshot does not change.
func TestNumbersThatAreKnownAfterTheReport(t *testing.T) {
	w := newWorld()
	w.jobs(0, cluster.Job{ID: "1", Number: "1", Nodes: []string{"a"}})
	w.try(0, "a")
	w.Apply(cluster.Event{At: at(0), Node: "a", Hello: &wire.Hello{Job: "1", GPUs: cards("0 x 5")}})
	w.report(1, "a", 50, -1, 50)
	before := w.Snapshot(at(1))
	w.expect(t, 1, "gpu_lost a/-1 1-")
	w.jobs(2, cluster.Job{ID: "1", Number: "1", Nodes: []string{"a"}, Minors: map[string][]int{"a": {0, 4, 5}}})
	w.expect(t, 2, "gpu_lost a/4 1-")
	if g := w.node(2, "a").GPUs[1]; g.Number != 4 || g.Lost == "" ||
		before.Nodes["a"].GPUs[2].Number != cluster.NoNumber {
		t.Errorf("the second GPU is %d, lost %q; before: %d", g.Number, g.Lost, before.Nodes["a"].GPUs[2].Number)
	}
}

// The GPUs of the last report are not compared by a newer Hello, or when the report is old.
func TestAnOldReportIsNotCompared(t *testing.T) {
	w := oneNode()
	w.report(1, "a", 50)
	w.hello(2, "a", 2)
	two := cluster.Job{ID: "1", Nodes: []string{"a"}, Minors: map[string][]int{"a": {0, 1}}}
	w.jobs(3, two)
	w.expect(t, 3, "")
	w.report(4, "a", 50, 60)
	w.expect(t, 4, "")
	two.Minors["a"] = []int{0, 1, 2}
	w.jobs(60, two)
	w.expect(t, 60, "node_stale a/-1 4-")
}

// The GPUs of a job that is already known, or that starts on a node that is, have their own first look.
func TestBeforeAJobWasKnown(t *testing.T) {
	w := oneNode(0)
	before := func(sec float64, want ...bool) {
		t.Helper()
		w.report(sec, "a", 50)
		var got []bool
		for _, job := range w.Snapshot(at(sec)).Jobs {
			for _, f := range job.Findings {
				got = append(got, f.Before)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("at %g s: missing before: %v, want %v", sec, got, want)
		}
	}
	job := func(id string, minors ...int) cluster.Job {
		return cluster.Job{ID: id, Nodes: []string{"a"}, Minors: map[string][]int{"a": minors}}
	}
	before(1)
	w.jobs(2, job("1", 0), job("2", 0, 1))
	before(3, true)
	w.jobs(4, job("1", 0, 1), job("2", 0, 1))
	before(5, false, true)
}
