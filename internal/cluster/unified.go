package cluster

import "github.com/nvnodetop/nvnodetop/internal/metric"

// MemoryOfProcesses is the sum of what the processes of a GPU have of its memory, in bytes, where the driver does not
// count the memory of the GPU itself: GB10 and its kin use the memory of the host. It is not known while the processes
// are not listed, without any, and if one of them has no number.
func (n *Node) MemoryOfProcesses(g *GPU) (bytes uint64, known bool) {
	if _, counted := g.Get(metric.MemoryUsed); counted || !n.Listed || g.Unlisted != "" {
		return 0, false
	}
	for i := range n.Processes {
		p := &n.Processes[i]
		if p.GPU != g.Index {
			continue
		}
		if p.GPUMemory == nil {
			return 0, false
		}
		bytes, known = bytes+*p.GPUMemory, true
	}
	return bytes, known
}
