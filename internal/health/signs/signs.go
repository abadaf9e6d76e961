// Package signs reads the signs of problems from a node and its GPUs. The rules and the words of findings use it. It
// has NVIDIA's catalog of Xids in plain words, and finds which Xid of a node caused the others.
package signs

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// LongestHang returns how long the call for a GPU has hung, or the longest such time on the node if there is no GPU.
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

// PerMinute returns the growth of a counter per minute, 0 if it is unknown.
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
func HasMIG(n *cluster.Node) bool { return n.AnyGPU(Partitioned) }

// IsOf reports whether a fault concerns that GPU, or the node itself if g is nil.
func IsOf(f *wire.Fault, g *cluster.GPU) bool {
	if g == nil {
		return len(f.GPUs) == 0
	}
	return slices.Contains(f.GPUs, g.Card.Index)
}

// Partitioned reports whether a GPU is in MIG mode, as far as the driver can tell, or is an instance.
func Partitioned(g *cluster.GPU) bool {
	return g.Card.MIG || g.Card.MIGUnknown || g.Card.Instance != nil
}
