package store

import "github.com/nvnodetop/nvnodetop/internal/cluster"

// makePast returns the past of a node, made once per failure; nil: the node has never reported GPUs.
func (n *nodeRecord) makePast() *cluster.Past {
	if n.past == nil && len(n.GPUs) > 0 {
		n.past = &cluster.Past{Host: n.Host, GPUs: n.GPUs, Faults: n.Faults, Memory: n.Memory}
		if n.Arrived.Sub(n.ListedAt) <= cluster.KeepList {
			n.past.Listed, n.past.Processes = n.Listed, n.Processes
		}
	}
	return n.past
}
