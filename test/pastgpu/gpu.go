// Package pastgpu has GPUs with histories, for tests of their pasts.
package pastgpu

import (
	"math"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Len is the number of bins of a history.
const Len = 60

// New returns a GPU with these histories, one sample per bin up to bin 100; the newest are its present values. NaN is
// unknown.
func New(number int, util, temp []float32) cluster.GPU {
	g := cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{}, Number: number}
	for i := range util {
		values := map[metric.ID]float32{metric.Util: util[i], metric.Temperature: temp[i],
			metric.Power: util[i] * float32(number)}
		g.History.Add(int64(101-len(util)+i), Len, func(id metric.ID) float64 {
			if v, ok := values[id]; ok {
				return float64(v)
			}
			return math.NaN()
		})
		g.Values = metric.Values{}
		for id, v := range values {
			if v == v {
				g.Values.Set(id, float64(v))
			}
		}
	}
	return g
}
