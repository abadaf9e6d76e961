package demo

import (
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Cluster is the nodes of the training job as their probes see them, for servers that play them. Nothing happens to the
// ways to its nodes. Nodes count from 0. Its methods may be called from any goroutine.
type Cluster struct {
	mu    sync.RWMutex // signals change the world
	world *world
	nodes []*host
}

// NewCluster makes a Cluster of that many nodes with gpus each, which report about every poll. Most of the story has
// already happened.
func NewCluster(nodes, gpus int, seed int64, poll time.Duration) *Cluster {
	w := newWorld(nodes, gpus, seed, poll, 0)
	return &Cluster{world: w, nodes: w.hosts[:nodes]}
}

// Name returns the name of a node.
func (c *Cluster) Name(node int) string { return c.nodes[node].name }

// Hello returns what the probe of a node says first.
func (c *Cluster) Hello(node int) *wire.Hello { return c.world.hello(c.nodes[node]) }

// Report returns a sample of a node, with a list of its processes or without.
func (c *Cluster) Report(node int, at time.Time, seq uint64, list bool) *wire.Report {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.world.report(c.nodes[node], at.Sub(c.world.begin), seq, list)
}

// Answer returns what the probe of a node answers to a request. A signal changes what later samples say.
func (c *Cluster) Answer(node int, r *wire.Request, at time.Time) wire.Reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	return probe{c.nodes[node], c.world, at.Sub(c.world.begin)}.answer(r)
}
