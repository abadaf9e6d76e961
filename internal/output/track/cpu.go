package track

// patience is for how many samples the CPU time of processes must be lower than before to count as lost.
const patience = 3

// cpuCounter is a CPU time that only grows. The time read may decrease for a moment, when a process ends between two
// reads. It decreases for good if a parent does not wait for a process: then the kernel adds the process's time to
// nobody's.
type cpuCounter struct {
	most  float64 // in seconds, so far
	lost  float64
	low   float64 // its value when a decrease began
	lower int     // number of samples since then
}

// take returns how much the time has grown.
func (c *cpuCounter) take(read float64) (grown float64) {
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

// makePercents returns the highest and the mean utilization, each with its share of the expected CPUs or GPUs.
func makePercents(most, mean float64, expected int) Percents {
	n := float64(max(expected, 1))
	return Percents{MaxSum: most, MaxHardware: most / n, MeanSum: mean, MeanHardware: mean / n}
}
