package cluster

import "testing"

// A set has what was added, whatever a node states.
func TestNumbers(t *testing.T) {
	var n rankSet
	all := []int{0, 1, 63, 64, 8191, mostSmall - 1, mostSmall, -1, 1 << 62}
	for _, rank := range all {
		if n.hasRank(rank) || !n.addRank(rank) || n.addRank(rank) || !n.hasRank(rank) {
			t.Errorf("%d is not added once", rank)
		}
		if n.hasRank(rank + 5) {
			t.Errorf("%d is there too", rank+5)
		}
	}
	if len(n.small) != mostSmall/64 || len(n.other) != 3 {
		t.Errorf("%d words and %d others", len(n.small), len(n.other))
	}
}
