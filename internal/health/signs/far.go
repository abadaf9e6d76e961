package signs

import (
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// FarRank is a rank that may run only on CPUs of another socket than that of its GPU.
type FarRank struct {
	*wire.Process
	GPU  *cluster.GPU
	Near string // the CPUs of the GPU's NUMA node
}

// FarRanks returns the far ranks of a job on a node. A NUMA node of the same socket is near enough. A process on
// several GPUs is near one of them at most, and one without a rank may be a helper, so neither counts.
func FarRanks(job *cluster.Job, n *cluster.Node) (far []FarRank) {
	if n.Hello == nil || len(n.Hello.NUMA) < 2 || HasMIG(n) {
		return nil
	}
	gpus := map[int]int{} // GPUs of each process
	for i := range n.Processes {
		gpus[n.Processes[i].PID]++
	}
	for i := range n.Processes {
		p := &n.Processes[i]
		if p.Rank == nil || p.Job == "" || p.Job != job.Number || gpus[p.PID] > 1 || p.Ended {
			continue
		}
		g := n.GPUAt(p.GPU)
		if g == nil || !job.Owns(n, g) {
			continue
		}
		if near := nearestNUMA(n.Hello, g); near != nil && isElsewhere(n.Hello, p.CPUAffinity, near.Socket) {
			far = append(far, FarRank{p, g, near.CPUs})
		}
	}
	return far
}

// nearestNUMA returns the NUMA node with CPUs that is nearest to a GPU; nil: it is not known, or has no CPUs.
func nearestNUMA(h *wire.Hello, g *cluster.GPU) *wire.NUMANode {
	id := g.Float(metric.NUMANode)
	for i := range h.NUMA {
		if float64(h.NUMA[i].ID) == id {
			return &h.NUMA[i]
		}
	}
	return nil
}

// isElsewhere reports whether all CPUs of a list are known, and none is in a socket.
func isElsewhere(h *wire.Hello, cpus string, socket int) bool {
	left := cpuRanges(cpus)
	if left == nil {
		return false
	}
	all, others := 0, 0
	for _, r := range left {
		all += r[1] - r[0] + 1
	}
	for i := range h.NUMA {
		shared := countShared(left, cpuRanges(h.NUMA[i].CPUs))
		if h.NUMA[i].Socket == socket && shared > 0 {
			return false
		}
		others += shared
	}
	return others == all
}

// countShared counts the CPUs that two lists share.
func countShared(a, b [][2]int) (count int) {
	for _, x := range a {
		for _, y := range b {
			count += max(0, min(x[1], y[1])-max(x[0], y[0])+1)
		}
	}
	return count
}

// cpuRanges reads a list of CPUs as the kernel writes it, "0-15,64-79"; nil if it is not such a list.
func cpuRanges(list string) (ranges [][2]int) {
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		a, errA := strconv.ParseUint(first, 10, 16)
		b, errB := strconv.ParseUint(last, 10, 16)
		if errA != nil || errB != nil || b < a {
			return nil
		}
		ranges = append(ranges, [2]int{int(a), int(b)})
	}
	return ranges
}
