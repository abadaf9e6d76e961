package health

import (
	"strings"
	"testing"
)

func TestThresholds(t *testing.T) {
	seen := map[string]bool{}
	for id := noThreshold + 1; id < thresholds; id++ {
		row := id.Row()
		if row.Key == "" || seen[row.Key] || !strings.HasSuffix(row.Help, ".") || row.Low >= row.High ||
			row.Value < row.Low || row.Value > row.High {
			t.Errorf("threshold %d is incomplete: %+v", id, row)
		}
		if named, known := Named(row.Key); !known || named != id {
			t.Errorf("%q is threshold %d", row.Key, named)
		}
		if Defaults()[id] != row.Value {
			t.Errorf("%s is %g by default", row.Key, Defaults()[id])
		}
		seen[row.Key] = true
	}
	for _, key := range []string{"", "lag"} {
		if id, known := Named(key); known {
			t.Errorf("%q is threshold %d", key, id)
		}
	}
}

// What replaces the time of a rule is a time.
func TestRulesLastForATime(t *testing.T) {
	for _, r := range allRules() {
		if key := r.lasts.Row().Key; r.lasts != noThreshold && !strings.HasSuffix(key, "_seconds") &&
			!strings.HasSuffix(key, "_minutes") {
			t.Errorf("%s lasts for %s, whose unit durationOf does not know", r.kind, key)
		}
	}
}
