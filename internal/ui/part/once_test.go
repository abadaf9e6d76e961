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
