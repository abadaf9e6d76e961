package report

import (
	"math"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// stat is a number over time.
type stat struct {
	sum, weight float64 // sums of the values times their seconds, and of the seconds
	plain       float64 // sum of the values: for one sample, before any time is known
	n           int
	low, high   float64
}

// addSample adds a sample. It counts for the seconds before it.
func (s *stat) addSample(v, seconds float64) {
	if v != v {
		return
	}
	if s.n == 0 {
		s.low, s.high = v, v
	}
	s.low, s.high = min(s.low, v), max(s.high, v)
	s.sum, s.weight, s.plain, s.n = s.sum+v*seconds, s.weight+seconds, s.plain+v, s.n+1
}

// mergeStat adds the samples of another stat.
func (s *stat) mergeStat(o *stat) {
	if o.n == 0 {
		return
	}
	if s.n == 0 {
		s.low, s.high = o.low, o.high
	}
	s.low, s.high = min(s.low, o.low), max(s.high, o.high)
	s.sum, s.weight, s.plain, s.n = s.sum+o.sum, s.weight+o.weight, s.plain+o.plain, s.n+o.n
}

// mean returns the mean, NaN without a sample.
func (s *stat) mean() float64 {
	if s.weight > 0 {
		return s.sum / s.weight
	}
	return s.plain / float64(s.n)
}

// counterIncrease is how much a counter of the driver has grown.
type counterIncrease struct {
	last, sum float64
	known     bool // last is known
	spans     int  // number of times between two readings
}

// addReading adds a reading. A counter that went down restarted at 0 in between.
func (c *counterIncrease) addReading(v float64) {
	if v != v {
		return
	}
	if c.known {
		if v >= c.last {
			c.sum += v - c.last
		} else {
			c.sum += v
		}
		c.spans++
	}
	c.last, c.known = v, true
}

// reason is a reason for reduced clocks: a counter of the driver, or else the bit in a sample.
type reason struct {
	name  string
	count metric.ID
	bit   uint64
}

var reasons = [...]reason{
	{"hw_thermal_slowdown", metric.HWThermalTime, wire.ThrottleHWThermal},
	{"sw_thermal_slowdown", metric.SWThermalTime, wire.ThrottleSWThermal},
	{"hw_power_brake_slowdown", metric.PowerBrakeTime, wire.ThrottleHWPowerBrake},
	{"sw_power_cap", metric.PowerCapTime, wire.ThrottleSWPowerCap},
	{"sync_boost", metric.SyncBoostTime, wire.ThrottleSyncBoost},
}

// throttleTime is how long clocks were reduced for one reason.
type throttleTime struct {
	counted counterIncrease
	sampled float64 // seconds
}

// meter has the numbers of one GPU, or of the GPUs that a rank was on, one after the other.
type meter struct {
	seen                             time.Duration
	ms                               int64 // the node's clock at the last reading; 0: none
	util, memory, power, temperature stat
	size                             float64         // of the memory; 0: unknown
	counted                          counterIncrease // joules
	drawn                            float64         // joules, from power over time
	draws                            int             // number of times in drawn
	watts                            float64         // at the last reading; NaN: unknown
	reduced                          [len(reasons)]throttleTime
}

func newMeter() meter { return meter{watts: math.NaN()} }

// addReading adds a reading. Two readings that are farther apart than patience have a gap between them.
func (m *meter) addReading(v *metric.Values, size float64, ms int64, patience time.Duration) {
	span := spanOf(m.ms, ms, patience)
	seconds := span.Seconds()
	m.ms, m.seen = ms, m.seen+span
	m.util.addSample(v.Float(metric.Util), seconds)
	m.memory.addSample(v.Float(metric.MemoryUsed), seconds)
	m.temperature.addSample(v.Float(metric.Temperature), seconds)
	m.counted.addReading(v.Float(metric.Energy))
	if size > 0 {
		m.size = size
	}
	watts := v.Float(metric.Power)
	m.power.addSample(watts, seconds)
	if both := (watts + m.watts) / 2; both == both && seconds > 0 {
		m.drawn += both * seconds
		m.draws++
	}
	m.watts = watts
	bits := v.Float(metric.Throttle)
	for i, why := range reasons {
		m.reduced[i].counted.addReading(v.Float(why.count))
		if bits == bits && uint64(bits)&why.bit != 0 {
			m.reduced[i].sampled += seconds
		}
	}
}

// spanOf returns the time between two readings. It is 0 if there was no earlier reading, or a gap.
func spanOf(before, ms int64, patience time.Duration) time.Duration {
	span := time.Duration(ms-before) * time.Millisecond
	if before == 0 || span < 0 || span > patience {
		return 0
	}
	return span
}

// skipNextGap makes the next reading count as the first: it is not compared with earlier ones.
func (m *meter) skipNextGap() {
	m.ms, m.watts, m.counted.known = 0, math.NaN(), false
	for i := range m.reduced {
		m.reduced[i].counted.known = false
	}
}

// energyTotal returns the energy in joules and its source; "": unknown.
func (m *meter) energyTotal() (joules float64, from string) {
	switch {
	case m.counted.spans > 0:
		return m.counted.sum, FromCounter
	case m.draws > 0:
		return m.drawn, FromSamples
	}
	return 0, ""
}

// throttledTime returns the seconds for one reason, and where they come from.
func (m *meter) throttledTime(i int) (seconds float64, from string) {
	r := &m.reduced[i]
	if r.counted.spans > 0 {
		return r.counted.sum, FromCounter
	}
	return r.sampled, FromSamples
}
