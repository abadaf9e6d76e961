package cluster

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// JobMemory is the host memory and the CPU time of a job on a node, with those of some minutes ago.
type JobMemory struct {
	wire.JobMemory
	Past              history.MemoryPast
	now, older, newer memoryMark
}

// memoryMark is the memory in use, and the CPU time, at a time of the node's clock.
type memoryMark struct {
	ms                int64
	used, cpu, waited uint64
}

const (
	// trendOver is the time over which a trend is computed: two to four minutes.
	trendOver = 2 * time.Minute

	// maxFull limits how far ahead the end of the memory is predicted.
	maxFull = 30 * 24 * time.Hour

	// trendAfter is how long a job is watched before it has a trend.
	trendAfter = time.Minute
)

// Full returns when the memory will reach its limit at the pace of the last minutes; false if it does not grow, or if
// the trend is unknown.
func (m *JobMemory) Full() (time.Duration, bool) {
	over := m.now.ms - m.older.ms
	if m.older.ms == 0 || over < trendAfter.Milliseconds() || m.Limit <= m.Used || m.now.used <= m.older.used {
		return 0, false
	}
	perMS := float64(m.now.used-m.older.used) / float64(over)
	full := history.UntilFull(float64(m.Used), float64(m.Limit), perMS*1000)
	return full, full <= maxFull
}

// CPUs returns how many CPUs the job used on average over the last minutes, and the share of the time in which a
// process waited for one of them; false if the job is too new, or its CPU time is unknown.
func (m *JobMemory) CPUs() (used, waited float64, known bool) {
	over, was := m.now.ms-m.older.ms, &m.older
	if was.ms == 0 || over < trendOver.Milliseconds() || was.cpu == 0 || m.now.cpu < was.cpu ||
		m.now.waited < was.waited {
		return 0, 0, false
	}
	perCPU := 1000 * float64(over)
	return float64(m.now.cpu-was.cpu) / perCPU, float64(m.now.waited-was.waited) / perCPU, true
}

// After continues the trend with the memory of a later report, which arrived at a time.
func (m JobMemory) After(was JobMemory, at time.Time, ms int64) JobMemory {
	now := memoryMark{ms, m.Used, m.CPU, m.Waited}
	m.now, m.older, m.newer, m.Past = now, was.older, was.newer, was.Past.Add(at, float64(m.Used))
	switch {
	case was.newer.ms == 0, was.Limit != m.Limit, ms < was.now.ms, m.CPU < was.CPU: // or another cgroup
		m.older, m.newer = now, now
	case ms-was.newer.ms >= trendOver.Milliseconds():
		m.older, m.newer = was.newer, now
	}
	return m
}

// MemoryOf returns the host memory of a job on the node, nil if it is unknown or has no limit.
func (n *Node) MemoryOf(job *Job) *JobMemory {
	if m := n.CgroupOf(job); m != nil && m.Limit > 0 {
		return m
	}
	return nil
}

// CgroupOf returns what the cgroup of a job on the node says, nil if it is unknown.
func (n *Node) CgroupOf(job *Job) *JobMemory {
	for i := range n.Memory {
		if m := &n.Memory[i]; m.Job != "" && m.Job == job.Number {
			return m
		}
	}
	return nil
}
