package feed

import (
	"runtime/debug"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// memoryFor returns the memory limit for a number of nodes, in bytes. It is a soft limit: above it the runtime collects
// more often. A node with 8 GPUs takes about half of its share, and the rest is for garbage. In 192 MiB, a thousand
// nodes took four times the CPU time.
func memoryFor(nodes int) int64 { return 128<<20 + int64(nodes)*232<<10 }

// LimitMemory sets the memory limit of the program, before any nodes are known.
func LimitMemory() { debug.SetMemoryLimit(memoryFor(0)) }

// RaiseMemory raises the memory limit when there are more nodes. Discoveries come from one goroutine.
func RaiseMemory() func(cluster.Event) {
	most := 0
	return func(e cluster.Event) {
		if e.Discovery == nil {
			return
		}
		nodes := map[string]bool{}
		for i := range e.Discovery.Jobs {
			for _, name := range e.Discovery.Jobs[i].Nodes {
				nodes[name] = true
			}
		}
		if len(nodes) > most {
			most = len(nodes)
			debug.SetMemoryLimit(memoryFor(most))
		}
	}
}
