package record

import (
	"testing"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"1M": 1 << 20, "500m": 500 << 20, "2G": 2 << 30, "1.5GiB": 3 << 29,
		"1TB": 1 << 40, "2000000": 2_000_000} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "M", "-1M", "1000", "1K", "x", "1Q", "NaN", "1e99", "M1"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}
