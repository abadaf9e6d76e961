package graph

import (
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

// The charts that turn amber for a kind of problem are charts of the page.
func TestChartsOfKinds(t *testing.T) {
	for _, kind := range say.Kinds() {
		for how := cluster.Starved; how <= cluster.Less; how++ {
			f := &cluster.Finding{Kind: kind, Compared: &cluster.Comparison{How: how}}
			for _, id := range say.Charts(f) {
				if !slices.ContainsFunc(gpuCharts, func(c gpuChart) bool { return slices.Contains(c.of, id) }) {
					t.Errorf("%s: no chart shows %s", kind, id)
				}
			}
		}
	}
}
