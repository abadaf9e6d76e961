package say

import "testing"

func TestRanges(t *testing.T) {
	for want, numbers := range map[string][]int{
		"none": nil, "3": {3}, "0, 1, 3-7": {0, 1, 3, 4, 5, 6, 7}, "0, 2, 4, 6, 8, 10, 12, 14, …": {0, 2, 4, 6, 8, 10,
			12, 14, 16, 18},
	} {
		if got := inRanges(numbers); got != want {
			t.Errorf("%v is %q, want %q", numbers, got, want)
		}
	}
}
