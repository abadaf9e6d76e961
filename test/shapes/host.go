package shapes

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// hostUse says how many CPUs of a node a job uses at a moment, and for which share of the time its threads wait for
// one.
type hostUse func(at time.Duration) (cpus, waited float64)

// uses is always the same use.
func uses(cpus, waited float64) hostUse {
	return func(time.Duration) (float64, float64) { return cpus, waited }
}

// during is another use in spans that begin this often, and last so long.
func (h hostUse) during(often, lasts time.Duration, other hostUse) hostUse {
	return func(at time.Duration) (float64, float64) {
		if at%often < lasts {
			return other(at)
		}
		return h(at)
	}
}

// cgroupEvery is how often a probe reads the cgroup of a job.
const cgroupEvery = 10 * time.Second

// cgroups returns what a node says of the job's cgroup. The CPU time of a long job is far from 0.
func (p *player) cgroups(now time.Duration, node int) []wire.JobMemory {
	if p.Host == nil {
		return nil
	}
	g := &p.groups[node]
	if g.Job == "" {
		*g = wire.JobMemory{Job: "7", Used: 1 << 30, CPU: 1e12, Waited: 1e9}
		p.read[node] = now
	}
	if passed := now - p.read[node]; passed >= cgroupEvery {
		cpus, waited := p.Host(now)
		shake := 1 + 0.03*p.r.NormFloat64()
		g.CPU += uint64(cpus * shake * float64(passed.Microseconds()))
		g.Waited += uint64(min(waited*shake, 1) * float64(passed.Microseconds()))
		p.read[node] = now
	}
	return []wire.JobMemory{*g}
}
