package part

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// Of what depends on a filter one result is kept: there is a filter for each key that is typed, and a Snapshot may
// stand for as long as one likes.
func TestLatestKeepsOneResult(t *testing.T) {
	type keyOfThis struct{}
	s := &Scene{Snap: &cluster.Snapshot{}, Job: &cluster.JobView{}, Memory: &Memory{}}
	made := 0
	get := func(of int) []int {
		return Latest(s, keyOfThis{}, of, func() []int {
			if made++; of == 0 {
				return nil
			}
			return []int{of}
		})
	}
	for _, of := range []int{1, 1, 2, 2, 1, 0, 0} {
		if got := get(of); (of == 0) != (got == nil) || of > 0 && got[0] != of {
			t.Errorf("of %d it is %v", of, got)
		}
	}
	if made != 4 || len(s.Memory.facts.known) != 1 {
		t.Errorf("made %d times, %d are kept", made, len(s.Memory.facts.known))
	}
	s.Snap = &cluster.Snapshot{}
	if get(0); made != 5 {
		t.Error("the next Snapshot has that of the one before")
	}
}

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
