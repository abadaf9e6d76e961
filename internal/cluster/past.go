package cluster

import "github.com/nvnodetop/nvnodetop/internal/wire"

// Past is the data of a node's last reports before it failed. It stays as long as the Store knows the node: until its
// last job has ended. All of it is old, so it is kept apart from the current numbers of a Node: code that counts
// current numbers need not check the state.
type Past struct {
	Host      wire.Host
	GPUs      []GPU // with their histories
	Listed    bool
	Processes []wire.Process
	Faults    []wire.Fault
	Memory    []JobMemory
}

// AsSeen returns the node with its past in place of the missing numbers. Its state stays the same. A node without a
// past is returned unchanged.
func (n *Node) AsSeen() *Node {
	if n.Past == nil {
		return n
	}
	seen, p := *n, n.Past
	seen.Host, seen.GPUs, seen.Faults, seen.Memory = p.Host, p.GPUs, p.Faults, p.Memory
	seen.Listed, seen.Processes = p.Listed, p.Processes
	return &seen
}
