package tally

import (
	"math"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// Sum adds up one quantity over GPUs, and counts the GPUs that gave a number.
type Sum struct {
	Value float64
	Count int
}

func (s *Sum) add(v float64) {
	s.Value += v
	s.Count++
}

// Mean is the sum's share of each GPU, NaN when none gave a number.
func (s Sum) Mean() float64 {
	if s.Count == 0 {
		return math.NaN()
	}
	return s.Value / float64(s.Count)
}

// Totals are the sums over some GPUs. What a GPU gives no number for is not counted as 0.
type Totals struct {
	GPUs              int
	Util              Sum          // percent
	Used, Memory      Sum          // bytes, of the GPUs that give both
	Power, PowerLimit Sum          // watts; the limits of those that give their power
	Hottest           *cluster.GPU // nil: none gives its temperature
}

// Total adds up GPUs.
func Total(gpus []*cluster.GPU) Totals {
	t := Totals{GPUs: len(gpus)}
	for _, g := range gpus {
		if util, known := g.Get(metric.Util); known {
			t.Util.add(util)
		}
		used, known := g.Get(metric.MemoryUsed)
		if total, told := g.Get(metric.MemoryTotal); known && told {
			t.Used.add(used)
			t.Memory.add(total)
		}
		if watts, known := g.Get(metric.Power); known {
			t.Power.add(watts)
			if limit, told := g.Get(metric.PowerLimit); told {
				t.PowerLimit.add(limit)
			}
		}
		if celsius, known := g.Get(metric.Temperature); known && (t.Hottest == nil || celsius > t.Hottest.Float(metric.Temperature)) {
			t.Hottest = g
		}
	}
	return t
}

// Counted is the number of GPUs behind the least complete sum.
func (t *Totals) Counted() int {
	n, some := t.GPUs, false
	for _, s := range []Sum{t.Util, t.Used, t.Power} {
		if s.Count > 0 {
			n, some = min(n, s.Count), true
		}
	}
	if !some {
		return 0
	}
	return n
}

// apart is how many points below the mean a GPU must be to be named: among equals the name would change with every poll.
const apart = 5

// Slowest is the GPU with the lowest utilisation, nil when none gives one, and whether it stands out from the rest.
func Slowest(gpus []*cluster.GPU) (low *cluster.GPU, standsOut bool) {
	for _, g := range gpus {
		if util, known := g.Get(metric.Util); known && (low == nil || util < low.Float(metric.Util)) {
			low = g
		}
	}
	if low == nil {
		return nil, false
	}
	t := Total(gpus)
	return low, low.Float(metric.Util) <= t.Util.Mean()-apart
}
