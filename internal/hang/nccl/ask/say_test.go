package ask

import "testing"

func TestInShort(t *testing.T) {
	for want, numbers := range map[string][]int{
		"":                                    nil,
		"5":                                   {5},
		"5, 6":                                {5, 6},
		"5-7":                                 {5, 6, 7},
		"0-7":                                 {0, 1, 2, 3, 4, 5, 6, 7},
		"3, 11, ... 35 (every 8th)":           {3, 11, 19, 27, 35},
		"0, 2, ... 6 (every 2nd)":             {0, 2, 4, 6},
		"1, 4, ... 10 (every 3rd)":            {1, 4, 7, 10},
		"1, 3, 4, 9-11":                       {1, 3, 4, 9, 10, 11},
		"1, 3, 6, 10, 15, 21, ... (8 in all)": {1, 3, 6, 10, 15, 21, 28, 36},
	} {
		if got := inShort(numbers); got != want {
			t.Errorf("%v: got %q, want %q", numbers, got, want)
		}
	}
}
