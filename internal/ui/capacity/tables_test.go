package capacity

import (
	"maps"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Columns come in by priority and never leave again as the terminal gets wider; they stay apart and within the usable
// width.
func TestLayouts(t *testing.T) {
	for name, l := range map[string]struct {
		of      func(int) table.Layout
		columns []table.Column
	}{
		"partitions": {partitionLayout, partitionColumns}, "nodes": {nodeLayout, nodeColumns},
		"jobs": {allJobsLayout, allJobsColumns}, "idle": {idleLayout, idleColumns},
	} {
		had := map[col]bool{}
		for w := 1; w <= 300; w++ {
			at, x, have := l.of(w), 0, map[col]bool{}
			for _, c := range l.columns {
				s := at[c.Key]
				if !s.Shown() {
					continue
				}
				have[c.Key] = true
				if s.X < x || s.X+s.W > w-1 {
					t.Errorf("%s at %d: column %s spans %d…%d, behind %d", name, w, c.Key, s.X, s.X+s.W, x)
				}
				x = s.X + s.W + 1
			}
			for k := range maps.Keys(had) {
				if !have[k] {
					t.Errorf("%s: column %s leaves at %d", name, k, w)
				}
			}
			had = have
		}
		if len(had) != len(l.columns) {
			t.Errorf("%s: at 300 columns only %v are there", name, had)
		}
	}
}
