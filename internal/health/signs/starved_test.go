package signs

import "testing"

// A process is starved by its host side with less than half the CPU time of the others, if they need some.
func TestStarved(t *testing.T) {
	for _, tc := range []struct {
		own, others float64
		want        bool
	}{
		{49, 100, true}, {50, 100, false}, {90, 100, false}, {9, 20, true}, {0, 19, false}, {0, 0, false},
	} {
		if got := Starved(tc.own, tc.others); got != tc.want {
			t.Errorf("%v %% of a core beside %v %%: %v", tc.own, tc.others, got)
		}
	}
}
