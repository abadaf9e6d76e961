package graph

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
)

// A short cycle is drawn as a band from its lowest to its highest; a job with a few pauses is not.
func TestEnvelope(t *testing.T) {
	var cycle, steady []float32
	for i := range 60 {
		cycle = append(cycle, float32(i%2*80+10))
		v := float32(90)
		if i%12 == 0 {
			v = 0
		}
		steady = append(steady, v)
	}
	if !isRestless(cycle, 100) || isRestless(steady, 100) || isRestless(nil, 100) {
		t.Error("restless is what is not, or the other way round")
	}
	cycle[30] = float32(gap)
	low, high := localExtremes(cycle, draw.PoolLowest), localExtremes(cycle, draw.PoolHighest)
	for i := range cycle {
		if i == 30 {
			if low[i] == low[i] || high[i] == high[i] {
				t.Error("a gap is filled")
			}
		} else if low[i] != 10 || high[i] != 90 {
			t.Fatalf("at %d from %v to %v", i, low[i], high[i])
		}
	}
}
