package store

import (
	"slices"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The checks still open are those of the job's node that has reported for the shortest time. A node without reports or
// without a job does not count.
func TestNotChecked(t *testing.T) {
	takes := func(s cluster.Subject) []cluster.Condition {
		if s.Scope != cluster.ScopeWatch || s.Watched >= time.Minute {
			return fewRules(s)
		}
		return []cluster.Condition{{Kind: cluster.KindLag, After: s.Watched}} // for the test to see
	}
	w := world{New(3*time.Second, takes)}
	w.Apply(cluster.Event{At: at(0), Discovery: &cluster.Discovery{Asked: at(0), Answered: at(0),
		Jobs: []cluster.Job{{ID: "1", Nodes: []string{"n1", "n2"}}}}})
	checked := func(sec float64, want ...cluster.NotChecked) {
		t.Helper()
		if got := w.Snapshot(at(sec)).NotChecked; !slices.Equal(got, want) {
			t.Errorf("after %v s: %+v, want %+v", sec, got, want)
		}
	}
	checked(0) // nobody reports: there is nothing to check
	for _, node := range []string{"n1", "n2", "other"} {
		w.Apply(cluster.Event{At: at(0), Node: node, Try: &cluster.Try{Interval: 3 * time.Second}})
		w.Apply(cluster.Event{At: at(0), Node: node, Hello: &wire.Hello{GPUs: []wire.Card{{}}}})
	}
	for sec := range 31 {
		w.sample(float64(2*sec), "n1", well)
	}
	checked(60) // n1 for a minute
	w.sample(60, "other", well)
	checked(60)
	w.sample(60, "n2", well)
	checked(60, cluster.NotChecked{Kind: cluster.KindLag, Takes: 0})
	w.sample(62, "n2", well)
	// the time since the last report does not count
	checked(64, cluster.NotChecked{Kind: cluster.KindLag, Takes: 2 * time.Second})
	for sec := range 10 {
		w.sample(float64(64+2*sec), "n1", well)
	}
	checked(82) // n2 is stale
}
