package cluster

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Grew reports whether a counter has grown since nvnodetop began to watch the GPU. It is cheaper than Grown.
func (g *GPU) Grew(id metric.ID) bool { return g.growth.Grew(id) }

// Grown returns the growth of a counter since nvnodetop began to watch the GPU, or since a later load of the driver.
func (g *GPU) Grown(id metric.ID) (float64, bool) { return g.growth.Grown(id) }

// Watched returns how long nvnodetop has watched the counters of the GPU.
func (g *GPU) Watched() time.Duration { return g.growth.Watched() }

// PerMinute returns the growth of a counter per minute, over the last one to two minutes.
func (g *GPU) PerMinute(id metric.ID) (float64, bool) { return g.growth.PerMinute(id) }

// Lately returns the growth of a counter per second since the previous report, and the time between the two reports.
func (g *GPU) Lately(id metric.ID) (float64, time.Duration, bool) { return g.growth.Lately(id) }

// Loaded returns the time at which the driver was loaded again, which restarts the counters; zero: it was not.
func (g *GPU) Loaded() time.Time { return g.growth.Loaded() }

// LinksSeen has a bit for each NVLink that has been up since nvnodetop began to watch the GPU, or since a later load of
// the driver.
func (g *GPU) LinksSeen() uint64 { return g.links }

// Grow continues the counters, the power limits and the seen NVLinks of the GPUs from the previous report.
func Grow(gpus, before []GPU, at time.Time, r *wire.Report) {
	for i := range gpus {
		g := &gpus[i]
		if was := GPUWith(before, g.Key, i); was != nil {
			g.growth, g.limit, g.links, g.Memory = was.growth, was.limit, was.links, was.Memory
		}
		if limit, known := g.Get(metric.PowerLimit); known {
			g.limit = limit
		}
		if !g.Repeated && !g.Values.Empty() {
			g.Memory = g.Memory.Add(at, g.Float(metric.MemoryUsed))
			loaded := g.growth.Loaded()
			if g.growth.Add(at, r.MonoMS, &g.Values); g.growth.Loaded() != loaded {
				g.links = 0
			}
		}
		up, _ := g.Get(metric.NVLinkUp)
		g.links |= uint64(up)
	}
}

// GPUWith returns the GPU with a key; nil: there is none.
func (n *Node) GPUWith(key string) *GPU { return GPUWith(n.GPUs, key, 0) }

// GPUWith returns the GPU with a key, which is probably at index likely; nil: there is none.
func GPUWith(gpus []GPU, key string, likely int) *GPU {
	if likely < len(gpus) && gpus[likely].Key == key {
		return &gpus[likely]
	}
	for i := range gpus {
		if gpus[i].Key == key {
			return &gpus[i]
		}
	}
	return nil
}
