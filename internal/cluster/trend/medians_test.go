package trend

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// The median is of the sums of each GPU, and a bin that few GPUs have is a gap.
func TestMedians(t *testing.T) {
	var gpus []*cluster.GPU
	for i := range 3 {
		g := &cluster.GPU{}
		for bin := range int64(4) {
			if bin == 3 && i > 0 {
				break
			}
			g.History.Add(100+bin, 240, func(id metric.ID) float64 {
				return map[metric.ID]float64{metric.NVLinkTX: float64(10 * i), metric.NVLinkRX: float64(bin)}[id]
			})
		}
		gpus = append(gpus, g)
	}
	got := Medians(gpus, []metric.ID{metric.NVLinkTX, metric.NVLinkRX}, 103, 5)
	if got[0] == got[0] || got[1] != 10 || got[2] != 11 || got[3] != 12 || got[4] == got[4] {
		t.Errorf("got %v, want a gap, 10, 11, 12, a gap", got)
	}
}
