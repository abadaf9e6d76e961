package probe

import (
	"math"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// rateWindow is the shortest time over which a rate is computed. A report off the beat comes sooner: it repeats the last rate.
const rateWindow = 500 * time.Millisecond

// rates turns counters into their increase per second. The zero value has seen nothing.
type rates []mark

// mark is a counter as it was read.
type mark struct {
	Counter
	at   time.Time
	rate float64 // up to then; NaN: not known
}

// rate returns the increase per second of a counter that was read at some time; NaN at first and when it went backwards.
func (r *rates) rate(c Counter, at time.Time) float64 {
	i := slices.IndexFunc(*r, func(m mark) bool { return m.ID == c.ID })
	if i < 0 {
		*r = append(*r, mark{c, at, math.NaN()})
		return math.NaN()
	}
	m := &(*r)[i]
	window := at.Sub(m.at)
	switch {
	case c.N < m.N:
		*m = mark{c, at, math.NaN()}
	case window >= rateWindow:
		*m = mark{c, at, float64(c.N-m.N) / window.Seconds()}
	}
	return m.rate
}

// forget forgets the counters, after which the next rates are not known.
func (r *rates) forget() { *r = (*r)[:0] }

// rateIDs are the metrics that are rates.
var rateIDs = slices.DeleteFunc(slices.Collect(metric.All(metric.GPU)), func(id metric.ID) bool { return !id.Row().Rate })

// withoutRates is for values that are repeated: what they say of the past is not what flows now.
func withoutRates(v metric.Values) metric.Values {
	for _, id := range rateIDs {
		v.Set(id, math.NaN())
	}
	return v
}
