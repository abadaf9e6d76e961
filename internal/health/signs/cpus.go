package signs

import (
	"math"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// JobCPUs is how a job uses its CPUs on a node, as averages of the last minutes.
type JobCPUs struct {
	Count   int     // CPUs on which its processes on GPUs may run
	Used    float64 // CPUs that it uses
	Waited  float64 // share of the time in which a thread waits for a CPU that another one uses
	Busy    float64 // percent of the time in which its GPUs run kernels
	Threads int     // of its processes on GPUs; 0: unknown
	ofThose float64 // CPUs that those use
}

const (
	// averaged is the time over which the utilization of GPUs is averaged.
	averaged = 5 * time.Minute

	// The CPUs of a job are full if it uses this share of them, and its threads wait for this share of the time.
	fullCPUs, longWaited = 0.85, 0.5

	// GPUs wait for their CPUs if they are busy for less than this, in percent. Those that do nothing are not used yet,
	// or no more.
	waitingGPU, waitingForOne, unusedGPU = 70, 60, 5

	// A process uses one core, in percent, if all it does happens in one thread. fewestCPUs is how many it must have.
	leastOfOne, mostOfOne = 90, 112
	fewestCPUs            = 4
)

// CPUsFull returns how a job uses its CPUs on a node if more of its threads want to run than it has CPUs, and its GPUs
// wait for them; otherwise nil.
func CPUsFull(job *cluster.Job, n *cluster.Node) *JobCPUs {
	group := n.CgroupOf(job)
	if group == nil {
		return nil
	}
	if _, waited, known := group.CPUs(); !known || waited < longWaited {
		return nil
	}
	c := cpusOf(job, n)
	if c == nil || c.Used < fullCPUs*float64(c.Count) || !waitsBelow(waitingGPU, meanBusy(job, n)) {
		return nil
	}
	c.Busy = meanBusy(job, n)
	return c
}

// waitsBelow reports whether a GPU with this utilization works, and waits for its work for long.
func waitsBelow(limit, busy float64) bool { return busy >= unusedGPU && busy < limit }

// FedGPU is a GPU that one thread feeds.
type FedGPU struct {
	*wire.Process
	GPU      *cluster.GPU
	Busy     float64 // percent
	Idle, Of int     // CPUs of the job on the node that it does not use, and all of them
}

// FedByOneThread returns the GPUs of a job that wait for one thread, while most CPUs of the job are idle. Only
// programs of Python count: those of MPI use a core while they wait.
func FedByOneThread(job *cluster.Job, n *cluster.Node) (fed []FedGPU) {
	if group := n.CgroupOf(job); group == nil || group.CPU == 0 {
		return nil
	}
	for i := range n.GPUs {
		g := &n.GPUs[i]
		p := ProcessOf(n, g)
		if p == nil || p.Job != job.Number || !isOneThread(p) {
			continue
		}
		if busy := busyOf(n, g); waitsBelow(waitingForOne, busy) {
			fed = append(fed, FedGPU{Process: p, GPU: g, Busy: busy})
		}
	}
	if len(fed) == 0 {
		return nil
	}
	c := cpusOf(job, n)
	if c == nil || c.Used > 1.05*c.ofThose+0.3 || c.countIdle() < c.Count/2 {
		return nil
	}
	for i := range fed {
		fed[i].Idle, fed[i].Of = c.countIdle(), c.Count
	}
	return fed
}

// torchMain is the name that PyTorch gives a process.
const torchMain = "pt_main_thread"

// isOneThread reports whether a process of Python works as one thread does, and might use more CPUs.
func isOneThread(p *wire.Process) bool {
	return p.CPUPercent != nil && *p.CPUPercent >= leastOfOne && *p.CPUPercent <= mostOfOne &&
		(strings.HasPrefix(p.Name, "python") || p.Name == torchMain) && cpusIn(p.CPUAffinity) >= fewestCPUs
}

// countIdle returns the number of CPUs that the job does not use.
func (c *JobCPUs) countIdle() int { return c.Count - int(math.Ceil(c.Used-0.3)) }

// cpusOf returns how a job uses its CPUs on a node; nil if anything of it is unknown, or a process is on several GPUs.
func cpusOf(job *cluster.Job, n *cluster.Node) *JobCPUs {
	used, waited, known := n.CgroupOf(job).CPUs()
	if !known || job.Suspended || HasMIG(n) {
		return nil
	}
	c, may, seen := &JobCPUs{Used: used, Waited: waited}, map[int]bool{}, map[int]bool{}
	for i := range n.Processes {
		p := &n.Processes[i]
		if p.Job != job.Number {
			continue
		}
		ranges := cpuRanges(p.CPUAffinity)
		if ranges == nil || seen[p.PID] || p.CPUPercent == nil {
			return nil
		}
		seen[p.PID] = true
		c.addProcess(p)
		for _, r := range ranges {
			for cpu := r[0]; cpu <= r[1]; cpu++ {
				may[cpu] = true
			}
		}
	}
	if c.Count = len(may); c.Count == 0 {
		return nil
	}
	return c
}

// addProcess counts a process on a GPU.
func (c *JobCPUs) addProcess(p *wire.Process) {
	c.ofThose += *p.CPUPercent / 100
	if p.Threads != nil {
		c.Threads += *p.Threads
	}
}

// meanBusy is the mean utilization of the GPUs of a job on a node; NaN if one is unknown.
func meanBusy(job *cluster.Job, n *cluster.Node) float64 {
	sum, count := 0.0, 0
	for i := range n.GPUs {
		if g := &n.GPUs[i]; job.Owns(n, g) {
			sum, count = sum+busyOf(n, g), count+1
		}
	}
	return sum / float64(count)
}

// busyOf is the mean utilization of a GPU in the last minutes; NaN: unknown.
func busyOf(n *cluster.Node, g *cluster.GPU) float64 {
	return g.History.Mean(metric.Util, n.Arrived, averaged)
}
