package gpus

import (
	"math"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// rateWindow is the shortest time over which a rate is computed. An off-beat report that comes sooner repeats the last
// rate.
const rateWindow = 500 * time.Millisecond

// slowShare limits how long a reading may take: one part in slowShare of the time between two readings. The driver does
// not say when during a call it read a counter: after a call that hung, the flow of that whole time would look like the
// flow of the short time since.
const slowShare = 10

// rates turns counters into their increase per second. The zero value has no readings.
type rates []counterReading

// counterReading is a counter with the times of its reading.
type counterReading struct {
	driver.Counter
	at   time.Time
	took time.Duration // duration of the reading
	rate float64       // at that reading; NaN: unknown
}

// ratePerSecond returns the increase per second of a counter that was read between two times. It is NaN for the first
// reading, when the counter went backwards, and when the time of the increase is not known precisely enough.
func (r *rates) ratePerSecond(c driver.Counter, began, ended time.Time) float64 {
	next := counterReading{c, ended, ended.Sub(began), math.NaN()}
	i := slices.IndexFunc(*r, func(m counterReading) bool { return m.ID == c.ID })
	if i < 0 {
		*r = append(*r, next)
		return next.rate
	}
	m := &(*r)[i]
	window := ended.Sub(m.at)
	if c.N >= m.N && window < rateWindow {
		return m.rate
	}
	if c.N >= m.N && slowShare*max(m.took, next.took) <= window {
		next.rate = float64(c.N-m.N) / window.Seconds()
	}
	*m = next
	return next.rate
}

// forgetCounters drops the counters: the next rates are unknown.
func (r *rates) forgetCounters() { *r = (*r)[:0] }

// withoutRates removes the rates from repeated values: old rates say nothing about the present flow.
func withoutRates(v metric.Values) metric.Values {
	for id := range metric.All(metric.GPU) {
		if id.Row().Rate {
			v.Set(id, math.NaN())
		}
	}
	return v
}
