package health

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

func isInState(state cluster.NodeState) func(ruleSubject) bool {
	return func(s ruleSubject) bool { return s.Node.State == state }
}

// failsToReport returns a rule that holds if a watched node does not report because of itself or the network. If
// watched is false, the rule holds if a node is not watched because there are too many nodes.
func failsToReport(watched bool) func(ruleSubject) bool {
	return func(s ruleSubject) bool {
		f := s.Node.Failure
		return s.Node.State == cluster.NodeFailed && watched == (f == nil || f.Class != reach.ClassNotWatched)
	}
}

func noDriver(s ruleSubject) bool { return s.Node.Hello.Fault != "" }
func oldDriver(s ruleSubject) bool {
	return s.Node.Hello.Fault == "" && len(s.Node.Hello.Missing) > 0
}

// allHang holds if none of several GPUs answers. A call for one of them hangs, and calls for each of the others have
// lasted at least half as long.
func allHang(s ruleSubject) bool {
	hung := false
	for i := range s.Node.GPUs {
		g := &s.Node.GPUs[i]
		if !g.Late() {
			return false
		}
		hung = hung || g.Hung()
	}
	return hung && len(s.Node.GPUs) > 1
}

// isDriverSlow holds if the driver is too slow for the interval: a reading takes longer than the interval, or most GPUs
// repeat old values.
func isDriverSlow(s ruleSubject) bool {
	n := s.Node
	late := 0
	for i := range n.GPUs {
		if time.Duration(n.GPUs[i].AgeMS)*time.Millisecond > n.Interval {
			late++
		}
	}
	return !allHang(s) && (n.Took > max(n.Interval, time.Second) || 2*late > len(n.GPUs))
}

// unloadsDriver holds if persistence mode is off on some GPU.
func unloadsDriver(s ruleSubject) bool {
	return s.Node.AnyGPU(func(g *cluster.GPU) bool { return g.Float(metric.PersistenceMode) == 0 })
}

// nearlyFull returns a rule that holds if a file system has little free space.
func nearlyFull(free, total metric.ID) func(ruleSubject) bool {
	return func(s ruleSubject) bool {
		left, of := s.Node.Host.Float(free), s.Node.Host.Float(total)
		least := s.limits[DiskFreeGiB] * signs.GiB
		return left < of*s.limits[DiskFreePercent]/100 || left < least && of > 10*least
	}
}

func areGPUsHidden(s ruleSubject) bool  { return s.Job.Missing(s.Node).Hidden }
func areGPUsMissing(s ruleSubject) bool { return s.Job.Missing(s.Node).Certain }
func perhapsMissing(s ruleSubject) bool { return s.Job.Missing(s.Node).Count > 0 }

func hostMemoryFull(s ruleSubject) bool {
	m := s.Node.MemoryOf(s.Job)
	return m != nil && 100*float64(m.Used) >= s.limits[HostMemoryPercent]*float64(m.Limit)
}

// mostFull is the share of the limit below which a trend is ignored: a program that starts fills memory fast, and then
// stops.
const mostFull = 0.8

func hostMemoryFills(s ruleSubject) bool {
	m := s.Node.MemoryOf(s.Job)
	if m == nil || float64(m.Used) < mostFull*float64(m.Limit) {
		return false
	}
	in, known := m.Full()
	return known && in <= time.Duration(s.limits[HostMemoryMinutes]*float64(time.Minute))
}

// differsFromMost holds if the node's driver or GPU model differs from that of most of the job's nodes.
func differsFromMost(s ruleSubject) bool {
	return s.Common != nil && (signs.OtherThan(s.Node.Hello.Driver, s.Common.Driver) ||
		signs.OtherThan(s.Job.Model(s.Node), s.Common.Model))
}

// bindsFarCPUs holds if a rank of the job may run only on CPUs of another socket than that of its GPU.
func bindsFarCPUs(s ruleSubject) bool { return len(signs.FarRanks(s.Job, s.Node)) > 0 }

func fillsCPUs(s ruleSubject) bool { return signs.CPUsFull(s.Job, s.Node) != nil }

// feedsByOne holds if a GPU of a training waits for one thread. Only a training counts steps in its log: servers use a
// core while they wait for requests.
func feedsByOne(s ruleSubject) bool {
	return s.Progress != nil && s.Progress.Step != nil && len(signs.FedByOneThread(s.Job, s.Node)) > 0
}

func clockWrong(s ruleSubject) bool {
	return s.Common != nil && s.Node.Clocked && s.Common.Clocks > 1 &&
		(s.Node.Offset-s.Common.Offset).Abs() > s.limits.durationOf(ClockSkewSeconds)
}

// leftOver holds if processes of jobs that have ended hold GPU memory.
func leftOver(s ruleSubject) bool { return s.Discovery != nil && len(s.Node.Orphans(s.Discovery)) > 0 }

// hasForeignProcess holds if processes of others are on the job's GPUs. The GPUs of a suspended job are lent to others.
func hasForeignProcess(s ruleSubject) bool {
	return !s.Job.Suspended && len(signs.Strangers(s.Job, s.Node, s.Discovery)) > 0
}
