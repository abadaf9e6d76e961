package signs

import (
	"math"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// A process is starved by its host side if it has less than the share starvedCPU of the others' CPU time, and the
// others have at least SomeCPU of a core, in percent.
const starvedCPU, SomeCPU = 0.5, 20

// Starved reports whether a process with this CPU time has too little, compared with the others.
func Starved(own, others float64) bool { return own < starvedCPU*others && others >= SomeCPU }

// UsesCPU reports whether a process is known to use part of a core.
func UsesCPU(p *wire.Process) bool { return p.CPUPercent != nil && *p.CPUPercent >= SomeCPU }

// A process writes much from muchWritten upwards. It moves if it reads or writes at least some. Both are in bytes per
// second.
const muchWritten, some = 0.1e9, 1e6

// Moves reports whether a process writes much, or uses part of a core and also reads or writes.
func Moves(p *wire.Process) bool {
	read, written := valueOrNaN(p.IORead), valueOrNaN(p.IOWrite)
	return written >= muchWritten || UsesCPU(p) && (read >= some || written >= some)
}

// ProcessOf returns the listed process on a GPU that has a rank, otherwise the process with the most GPU memory; nil if
// there is none.
func ProcessOf(n *cluster.Node, g *cluster.GPU) *wire.Process {
	var found *wire.Process
	for i := range n.Processes {
		p := &n.Processes[i]
		switch {
		case p.GPU != g.Card.Index || g.Key == "" || p.Ended:
		case found == nil, p.Rank != nil && found.Rank == nil, (p.Rank != nil) == (found.Rank != nil) &&
			gpuMemoryOf(p) > gpuMemoryOf(found):
			found = p
		}
	}
	return found
}

func gpuMemoryOf(p *wire.Process) uint64 {
	if p.GPUMemory == nil {
		return 0
	}
	return *p.GPUMemory
}

// CPUOf returns the CPU use of the process on a GPU, and the median CPU use of the same job's processes on the node's
// other GPUs, in percent; NaN if unknown.
func CPUOf(n *cluster.Node, g *cluster.GPU) (own, others float64) {
	mine := ProcessOf(n, g)
	if mine == nil || mine.CPUPercent == nil {
		return math.NaN(), math.NaN()
	}
	return *mine.CPUPercent, upperMedian(addJobProcesses(nil, n, g.Key, mine), func(p *wire.Process) float64 {
		return valueOrNaN(p.CPUPercent)
	})
}

// addJobProcesses adds the processes of the same job on the node's other GPUs.
func addJobProcesses(to []*wire.Process, n *cluster.Node, key string, mine *wire.Process) []*wire.Process {
	for i := range n.GPUs {
		if o := &n.GPUs[i]; o.Key != key {
			if p := ProcessOf(n, o); p != nil && p != mine && p.Job == mine.Job && p.User == mine.User {
				to = append(to, p)
			}
		}
	}
	return to
}

// Host is what a process gets from its host, and the median of what other processes of its job get; NaN if unknown.
type Host struct{ Own, Others HostShare }

// HostShare is the number of CPUs on which a process may run, and the bytes per second that it reads and writes.
type HostShare struct{ CPUs, Read, Write float64 }

// A process is bound if it may run on fewer than half as many CPUs as the others. Its reads or writes differ from
// theirs if the higher rate is at least apart times the other, and at least fast.
const (
	apart = 4
	fast  = 10e6 // bytes per second
)

// Bound reports whether a process may run on much fewer CPUs than the others.
func (h *Host) Bound() bool { return h.Own.CPUs < h.Others.CPUs/2 }

// ReadsLess and ReadsMore report whether a process reads much less, or much more, than the others. WritesMore does the
// same for writes.
func (h *Host) ReadsLess() bool  { return isMuchHigher(h.Others.Read, h.Own.Read) }
func (h *Host) ReadsMore() bool  { return isMuchHigher(h.Own.Read, h.Others.Read) }
func (h *Host) WritesMore() bool { return isMuchHigher(h.Own.Write, h.Others.Write) }

func isMuchHigher(a, b float64) bool { return a >= fast && a >= apart*b }

// enough is the number of other processes at which no more nodes are searched.
const enough = 15

// HostOf compares the process on a GPU with those on the node's other GPUs, and with some processes of other nodes: a
// whole node may be slow.
func HostOf(job *cluster.Job, nodes map[string]*cluster.Node, n *cluster.Node, g *cluster.GPU) Host {
	unknown := HostShare{math.NaN(), math.NaN(), math.NaN()}
	mine := ProcessOf(n, g)
	if mine == nil {
		return Host{unknown, unknown}
	}
	others := addJobProcesses(nil, n, g.Key, mine)
	for i := 0; i < len(job.Nodes) && len(others) < enough; i++ {
		if o := nodes[job.Nodes[i]]; o != nil && o != n {
			others = addJobProcesses(others, o, "", mine)
		}
	}
	return Host{shareOf(mine), HostShare{
		CPUs:  upperMedian(others, func(p *wire.Process) float64 { return shareOf(p).CPUs }),
		Read:  upperMedian(others, func(p *wire.Process) float64 { return shareOf(p).Read }),
		Write: upperMedian(others, func(p *wire.Process) float64 { return shareOf(p).Write }),
	}}
}

func shareOf(p *wire.Process) HostShare {
	return HostShare{cpusIn(p.CPUAffinity), valueOrNaN(p.IORead), valueOrNaN(p.IOWrite)}
}

// cpusIn counts the CPUs in a list as the kernel writes it, "0-15,64-79"; NaN if it is not such a list.
func cpusIn(list string) float64 {
	ranges := cpuRanges(list)
	if ranges == nil {
		return math.NaN()
	}
	count := 0
	for _, r := range ranges {
		count += r[1] - r[0] + 1
	}
	return float64(count)
}

func valueOrNaN[T uint64 | float64](v *T) float64 {
	if v == nil {
		return math.NaN()
	}
	return float64(*v)
}

// upperMedian returns the upper median of a value of the processes, NaN if no value is known.
func upperMedian(of []*wire.Process, value func(*wire.Process) float64) float64 {
	var all []float64
	for _, p := range of {
		if v := value(p); v == v {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return math.NaN()
	}
	slices.Sort(all)
	return all[len(all)/2]
}
