package capacity

import (
	"cmp"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
	"github.com/nvnodetop/nvnodetop/internal/cluster/trend"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// An idle GPU is one that SLURM has given to a job but that does nothing, on a node that is read.
//
// SLURM says which GPUs of a node are in use; the node itself reports whether they work. A GPU of a node that is not
// read is in no list: nothing is guessed. Everything here is a function of its arguments.

// IdleGPU is a GPU that is in use and idle.
type IdleGPU struct {
	*cluster.GPU
	Node    *Node
	For     time.Duration // how long it has been idle, as far as its history goes
	AtLeast bool          // the history does not go further back
}

// IdleList has the GPUs that have been idle for at least a minute, the longest first. It also says for how many GPUs in
// use it is known whether they work.
type IdleList struct {
	GPUs      []IdleGPU
	Read, All int // GPUs in use on nodes that are read, and on all nodes
}

// IdleOf returns the idle GPUs of a cluster.
func IdleOf(s *cluster.Snapshot, c *Cluster) (l IdleList) {
	for i := range c.Nodes {
		n := &c.Nodes[i]
		for _, g := range n.GPUs {
			l.All += g.Used
		}
		node := s.Nodes[n.Name]
		if node == nil || node.State != cluster.NodeReporting {
			continue
		}
		for g := range node.GPUs {
			if gpu := &node.GPUs[g]; !gpu.Instance() && n.InUse(gpu.Number) {
				l.addGPU(n, gpu, s.Bin())
			}
		}
	}
	slices.SortStableFunc(l.GPUs, func(a, b IdleGPU) int { return -cmp.Compare(a.For, b.For) })
	return l
}

// leastIdle is how long a GPU must have been idle. Every program waits for moments, between two steps or while it
// writes a checkpoint: a list of such GPUs would change with each report, and accuse jobs that work.
const leastIdle = time.Minute

// addGPU adds a GPU that is in use.
func (l *IdleList) addGPU(n *Node, g *cluster.GPU, bin time.Duration) {
	util, known := g.Get(metric.Util)
	if !known {
		return
	}
	l.Read++
	if util > pace.IdleMost {
		return
	}
	if idle, all := idleFor(g, bin); idle >= leastIdle {
		l.GPUs = append(l.GPUs, IdleGPU{g, n, idle, all})
	}
}

// idleFor returns how long a GPU has been idle, and whether that is as far as its history goes.
func idleFor(g *cluster.GPU, bin time.Duration) (idle time.Duration, all bool) {
	newest, some := g.History.Newest()
	oldest, _ := g.History.Oldest()
	if !some {
		return 0, true
	}
	samples := trend.Last(g, metric.Util, int(newest-oldest)+1)
	for _, v := range slices.Backward(samples) {
		if v != v || v > pace.IdleMost { // a gap proves nothing
			return idle, v != v
		}
		idle += bin
	}
	return idle, true
}
