package track

// patience is the number of samples in which the CPU time of processes must be lower than before to count as lost.
const patience = 3

// counter is a CPU time that only grows. The time read may decrease for a moment, when a process ends between two
// reads, and for good when its parent does not wait for it: then the kernel adds its time to nobody's.
type counter struct {
	most  float64 // in seconds, so far
	lost  float64
	low   float64 // where a decrease began
	lower int     // number of samples since then
}

// take returns the growth of the time.
func (c *counter) take(read float64) (grown float64) {
	read += c.lost
	if read >= c.most {
		grown = read - c.most
		c.most, c.lower = read, 0
		return grown
	}
	if c.lower++; c.lower == 1 {
		c.low = read
	}
	if c.lower < patience {
		return 0
	}
	c.lost += c.most - c.low
	grown = max(read-c.low, 0)
	c.most, c.lower = c.most+grown, 0
	return grown
}

// meter is a utilization over time, in percent.
type meter struct{ most, area, seconds float64 }

// addUtilization adds a utilization with its duration in seconds.
func (m *meter) addUtilization(percent, seconds float64) {
	m.most = max(m.most, percent)
	m.area += percent * seconds
	m.seconds += seconds
}

// meterPercents returns the meter as a part of a report.
func (m *meter) meterPercents(expected int) Percents {
	mean := m.most // for one sample, before any time is known
	if m.seconds > 0 {
		mean = m.area / m.seconds
	}
	return makePercents(max(m.most, mean), mean, expected)
}

// makePercents returns a highest and a mean utilization, with their shares of the expected CPUs or GPUs.
func makePercents(most, mean float64, expected int) Percents {
	n := float64(max(expected, 1))
	return Percents{MaxSum: most, MaxHardware: most / n, MeanSum: mean, MeanHardware: mean / n}
}
