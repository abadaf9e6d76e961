package store

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// A node with a slower pace is stale only after three missed reports.
func TestASlowerPaceIsNotStale(t *testing.T) {
	w := newWorld()
	w.try(0, "a")
	w.hello(1, "a", 1)
	w.report(2, "a", 50)
	w.Apply(cluster.Event{At: at(3), Node: "a", Pace: &cluster.Pace{Interval: 30 * time.Second}})
	w.report(32, "a", 50)
	for sec, want := range map[float64]cluster.NodeState{60: cluster.NodeReporting, 121: cluster.NodeReporting,
		123: cluster.NodeStale} {
		if n := w.node(sec, "a"); n.State != want || n.Interval != 30*time.Second {
			t.Errorf("at %g s: %s, every %v; want %s", sec, n.State, n.Interval, want)
		}
	}
}
