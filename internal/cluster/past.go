package cluster

import (
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Past is what a node said in its last reports before it failed. It stays as long as the Store knows the node: until
// its last job has ended. All of it is old, so it stands beside the numbers of a Node and not among them: whoever
// counts those of now need not look at the state.
type Past struct {
	Host      wire.Host
	GPUs      []GPU // with their histories
	Listed    bool
	Processes []wire.Process
	Faults    []wire.Fault
	Memory    []JobMemory
}

// AsSeen returns the node with its past in place of the numbers that it lacks. Its state remains. A node without a past
// is returned itself.
func (n *Node) AsSeen() *Node {
	if n.Past == nil {
		return n
	}
	seen, p := *n, n.Past
	seen.Host, seen.GPUs, seen.Faults, seen.Memory = p.Host, p.GPUs, p.Faults, p.Memory
	seen.Listed, seen.Processes = p.Listed, p.Processes
	return &seen
}

// remember returns the past of a node, which is made once per failure; nil: it has never reported GPUs.
func (n *nodeRecord) remember() *Past {
	if n.past == nil && len(n.GPUs) > 0 {
		n.past = &Past{Host: n.Host, GPUs: n.GPUs, Faults: n.Faults, Memory: n.Memory}
		if n.Arrived.Sub(n.ListedAt) <= keepList {
			n.past.Listed, n.past.Processes = n.Listed, n.Processes
		}
	}
	return n.past
}
