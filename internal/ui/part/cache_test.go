package part

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// The memory of a Snapshot is used again for the next one, and for nothing else. What the next one does not make is
// given back.
func TestAgainUsesTheMemoryOfTheSnapshotBefore(t *testing.T) {
	type key struct{ scope int }
	s := &Scene{Snap: &cluster.Snapshot{}, Memory: &Memory{}}
	var had []int
	get := func(scope, n int) []int {
		return Again(s, key{scope}, func(before []int) []int {
			had = before
			return append(before[:0], n)
		})
	}
	one, two := get(1, 10), get(2, 20)
	if get(1, 11); had != nil || one[0] != 10 || two[0] != 20 {
		t.Errorf("of one Snapshot: %v and %v, from %v", one, two, had)
	}
	s.Snap = &cluster.Snapshot{}
	if next := get(1, 12); len(had) != 1 || &had[0] != &next[0] || next[0] != 12 || two[0] != 20 {
		t.Errorf("of the next Snapshot: %v, from %v; the other has %v", next, had, two)
	}
	s.Snap = &cluster.Snapshot{}
	if get(2, 21); had != nil || two[0] != 20 {
		t.Errorf("what one Snapshot did not need comes back: %v", had)
	}
}
