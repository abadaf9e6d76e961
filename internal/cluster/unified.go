package cluster

import (
	"iter"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// MemoryOfProcesses does what the function of this name does, for GPUs of the node.
func (n *Node) MemoryOfProcesses(gpus ...*GPU) (bytes uint64, known bool) {
	return MemoryOfProcesses(func(yield func(*Node, *GPU) bool) {
		for _, g := range gpus {
			if !yield(n, g) {
				return
			}
		}
	})
}

// MemoryOfProcesses is the sum of the GPU memory of all processes on these GPUs, in bytes. It exists only where the
// driver counts the memory of none of these GPUs itself: GB10 and its kin use the memory of the host. It is unknown
// without any memory, if not all processes are listed, or if the memory of one is unknown.
func MemoryOfProcesses(gpus iter.Seq2[*Node, *GPU]) (bytes uint64, known bool) {
	for n, g := range gpus {
		if mayCountMemory(g) || !n.listsAll(g) {
			return 0, false
		}
		for i := range n.Processes {
			p := &n.Processes[i]
			switch {
			case p.GPU != g.Index:
			case p.GPUMemory == nil:
				return 0, false
			default:
				bytes += *p.GPUMemory
			}
		}
	}
	return bytes, bytes > 0
}

// mayCountMemory reports whether the driver counts the used memory of a GPU, or has not given any numbers of it yet.
func mayCountMemory(g *GPU) bool {
	_, counted := g.Get(metric.MemoryUsed)
	return counted || g.Values.Empty()
}

// listsAll reports whether every process on a GPU is in the list of the node.
func (n *Node) listsAll(g *GPU) bool {
	return n.Listed && g.Unlisted == "" && !slices.ContainsFunc(n.Faults, func(f wire.Fault) bool {
		return f.Collector == wire.CollectorProcesses && (len(f.GPUs) == 0 || slices.Contains(f.GPUs, g.Index))
	})
}
