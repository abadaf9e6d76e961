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

// A result that lasts is there after a pause of the screen, and not after a long one.
func TestOnwardLastsThroughAPause(t *testing.T) {
	type key struct{}
	s := &Scene{Snap: &cluster.Snapshot{}, Memory: &Memory{}}
	get := func() int { return Onward(s, key{}, func(before int) int { return before + 1 }) }
	pass := func(snapshots int) {
		for range snapshots {
			s.Snap = &cluster.Snapshot{}
			OfSnapshot(s, "another", func() int { return 0 })
		}
	}
	if got := []int{get(), get()}; got[0] != 1 || got[1] != 1 {
		t.Errorf("of one Snapshot: %v", got)
	}
	pass(pauses)
	if got := get(); got != 2 {
		t.Errorf("after a pause: %d", got)
	}
	pass(pauses + 1)
	if got := get(); got != 1 {
		t.Errorf("after a long pause: %d", got)
	}
}
