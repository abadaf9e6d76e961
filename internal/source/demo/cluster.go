package demo

import (
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Cluster has the nodes of the training job as their probes see them, for servers that play these nodes. The
// connections to its nodes have no faults. Nodes count from 0. Its methods may be called from any goroutine.
type Cluster struct {
	mu    sync.RWMutex // signals change the world
	world *world
	nodes []*host
}

// NewCluster makes a Cluster of nodes with gpus each, which report about every poll. Most of the story has already
// happened.
func NewCluster(nodes, gpus int, seed int64, poll time.Duration) *Cluster {
	w := newWorld(nodes, gpus, seed, poll, 0)
	return &Cluster{world: w, nodes: w.hosts[:nodes]}
}

// Name returns the name of a node.
func (c *Cluster) Name(node int) string { return c.nodes[node].name }

// Hello returns the Hello of a node's probe.
func (c *Cluster) Hello(node int) *wire.Hello { return c.world.makeHello(c.nodes[node]) }

// Report returns a sample of a node; list adds its processes.
func (c *Cluster) Report(node int, at time.Time, seq uint64, list bool) *wire.Report {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.world.makeReport(c.nodes[node], at.Sub(c.world.begin), seq, list)
}

// Answer returns the answer of a node's probe to a request. A signal changes later samples.
func (c *Cluster) Answer(node int, r *wire.Request, at time.Time) wire.Reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	return probe{c.nodes[node], c.world, at.Sub(c.world.begin)}.answerRequest(r)
}
