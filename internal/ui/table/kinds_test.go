package table

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

// The numbers that take the color of a kind of problem have cells.
func TestCellsOfKinds(t *testing.T) {
	for _, kind := range say.Kinds() {
		for how := cluster.Starved; how <= cluster.Less; how++ {
			f := &cluster.Finding{Kind: kind, Compared: &cluster.Comparison{How: how}}
			for _, id := range say.Cells(f) {
				if cellOf[id] == "" {
					t.Errorf("%s: the row of a GPU has no cell for %s", kind, id)
				}
			}
		}
	}
}
