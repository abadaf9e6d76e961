package store

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// TestHellosRenewWhatNodesHaveInCommon: soon, but not each of them, as thousands of nodes say Hello at once.
func TestHellosRenewWhatNodesHaveInCommon(t *testing.T) {
	begin := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s := New(3*time.Second, func(cluster.Subject) []cluster.Condition { return nil })
	names := []string{"a", "b", "c", "d", "e"}
	s.Apply(cluster.Event{At: begin, Discovery: &cluster.Discovery{Jobs: []cluster.Job{{ID: "1", Nodes: names}}}})
	hello := func(after time.Duration, driver string, nodes ...string) {
		for _, n := range nodes {
			s.Apply(cluster.Event{At: begin.Add(after), Node: n, Hello: &wire.Hello{Driver: driver}})
		}
	}
	report := func(after time.Duration, want string) {
		t.Helper()
		s.Apply(cluster.Event{At: begin.Add(after), Node: "a", Report: &wire.Report{MonoMS: 1 + after.Milliseconds()}})
		if got := s.Snapshot(begin.Add(after)).Jobs[0].Common.Driver; got != want {
			t.Errorf("after %v most nodes have %q, want %q", after, got, want)
		}
	}
	hello(time.Millisecond, "550", "a", "b")
	report(soon, "550")
	hello(soon+100*time.Millisecond, "560", "c", "d", "e")
	report(soon+200*time.Millisecond, "550")
	report(2*soon, "560")
}
