// Package signs reads the signs of problems from a node and its GPUs, for the rules and for the words of findings.
package signs

import (
	"math"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// LongestHang returns the time for which the call for a GPU has hung, or the longest on the node if there is no GPU.
func LongestHang(n *cluster.Node, g *cluster.GPU) time.Duration {
	var longest int64
	for i := range n.GPUs {
		longest = max(longest, n.GPUs[i].HangsMS)
	}
	if g != nil {
		longest = g.HangsMS
	}
	return time.Duration(longest) * time.Millisecond
}

// Values of metric.RecoveryAction, as nvml.h names them (nvmlDeviceGpuRecoveryAction_t).
const (
	RecoverReset = iota + 1
	RecoverReboot
	RecoverDrain
	RecoverDrainReset
	RecoverIMEX
)

// Retired returns the retired pages of a GPU, NaN if they are unknown.
func Retired(g *cluster.GPU) float64 {
	return g.Float(metric.RetiredCorrectable) + g.Float(metric.RetiredUncorrectable)
}

// Overheated reports whether the memory of a GPU is above its maximum temperature.
func Overheated(g *cluster.GPU) bool {
	return g.Float(metric.MemoryTemperature) > g.Float(metric.MemoryMaxOperating)
}

// Reasons returns the bits of the reasons why the clocks of a GPU are low.
func Reasons(g *cluster.GPU) uint64 {
	bits, _ := g.Get(metric.Throttle)
	return uint64(bits)
}

// PerMinute returns the pace of a counter, 0 if it is unknown.
func PerMinute(g *cluster.GPU, id metric.ID) float64 {
	if !g.Grew(id) {
		return 0
	}
	pace, _ := g.PerMinute(id)
	return pace
}

// GiB is the number of bytes in a GiB.
const GiB = 1 << 30

// OtherThan reports whether two names are known and differ.
func OtherThan(own, common string) bool { return own != "" && common != "" && own != common }

// Strangers returns the processes on the job's GPUs that are not its own, except those left over from an ended job.
func Strangers(job *cluster.Job, n *cluster.Node, d *cluster.Discovery) []*wire.Process {
	all := job.Strangers(n)
	if d == nil || len(all) == 0 {
		return all
	}
	left := n.Orphans(d)
	return slices.DeleteFunc(all, func(p *wire.Process) bool { return slices.Contains(left, p) })
}

// HasMIG reports whether a GPU of the node is in MIG mode.
func HasMIG(n *cluster.Node) bool {
	for i := range n.GPUs {
		if Partitioned(&n.GPUs[i]) {
			return true
		}
	}
	return false
}

// A process is starved by its host side if it has less than starvedCPU of the CPU time of the others, and the others
// have at least SomeCPU of a core, in percent.
const starvedCPU, SomeCPU = 0.5, 20

// Starved reports whether a process with this CPU time has too little, compared with the others.
func Starved(own, others float64) bool { return own < starvedCPU*others && others >= SomeCPU }

// ProcessOf returns the listed process on a GPU that has a rank, otherwise the one with the most GPU memory; nil if
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

// CPUOf returns the CPU use of the process on a GPU, and the median of the same job's processes on the node's other
// GPUs, in percent; NaN if unknown.
func CPUOf(n *cluster.Node, g *cluster.GPU) (own, others float64) {
	own, others = math.NaN(), math.NaN()
	mine := ProcessOf(n, g)
	if mine == nil || mine.CPUPercent == nil {
		return own, others
	}
	var rest []float64
	for i := range n.GPUs {
		if o := &n.GPUs[i]; o.Key != g.Key {
			if p := ProcessOf(n, o); p != nil && p.Job == mine.Job && p.User == mine.User && p.CPUPercent != nil {
				rest = append(rest, *p.CPUPercent)
			}
		}
	}
	if len(rest) > 0 {
		slices.Sort(rest)
		others = rest[len(rest)/2]
	}
	return *mine.CPUPercent, others
}

// IsOf reports whether a fault concerns that GPU, or the node itself if g is nil.
func IsOf(f *wire.Fault, g *cluster.GPU) bool {
	if g == nil {
		return len(f.GPUs) == 0
	}
	return slices.Contains(f.GPUs, g.Card.Index)
}

// Partitioned reports whether a GPU is in MIG mode, as far as the driver can tell, or an instance.
func Partitioned(g *cluster.GPU) bool {
	return g.Card.MIG || g.Card.MIGUnknown || g.Card.Instance != nil
}
