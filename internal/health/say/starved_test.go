package say

import "testing"

// A rate is in common digits, however small it is.
func TestMegabytes(t *testing.T) {
	for rate, want := range map[float64]string{0: "0", 50: "0", 4e4: "0", 6e4: "0.1", 3.2e5: "0.3", 9.4e5: "0.9",
		9.6e5: "1", 2.1e6: "2", 3e8: "300"} {
		if got := formatMegabytes(rate); got != want {
			t.Errorf("%v B/s: %s MB/s, want %s", rate, got, want)
		}
	}
}
