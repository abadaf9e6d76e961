package nvnodetop

import (
	"slices"
	"sync"

	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// Collector adds up the numbers of snapshots by tag, as nvitop's ResourceMetricCollector does: activate a tag at the
// beginning of a part of the program, and deactivate it at its end. Another goroutine may Add snapshots of Watch
// meanwhile. The zero Collector has no tag, and any number of goroutines may use it.
type Collector struct {
	mu     sync.Mutex
	active []string // the innermost last
	tags   map[string]map[Series]*Stat
}

// Series is a number of a GPU, or of a node.
type Series struct {
	Node   string
	GPU    string // its UUID or its key; "": the number is that of the node
	Metric schema.Metric
}

// Stat is a number over the snapshots in which it was known.
type Stat struct {
	Mean, Min, Max, Last float64
	N                    int // number of these snapshots
}

// Activate begins a tag, anew if it has been used before. Tags may be nested: each counts the snapshots that come while
// it is active.
func (c *Collector) Activate(tag string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tags == nil {
		c.tags = map[string]map[Series]*Stat{}
	}
	c.active = append(slices.DeleteFunc(c.active, func(t string) bool { return t == tag }), tag)
	c.tags[tag] = map[Series]*Stat{}
}

// Deactivate ends a tag, and those that began within it; without a tag it ends the latest. A tag that has
// ended keeps its numbers until it is activated again.
func (c *Collector) Deactivate(tags ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(tags) == 0 && len(c.active) > 0 {
		c.active = c.active[:len(c.active)-1]
	}
	for _, tag := range tags {
		if i := slices.Index(c.active, tag); i >= 0 {
			c.active = c.active[:i]
		}
	}
}

// Add adds a snapshot to the active tags. Unknown and old numbers do not count.
func (c *Collector) Add(s *schema.Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, tag := range c.active {
		to := c.tags[tag]
		for i := range s.Nodes {
			n := &s.Nodes[i]
			if n.State != schema.NodeReporting {
				continue
			}
			add(to, n.Name, "", n.Host)
			for k := range n.GPUs {
				g := &n.GPUs[k]
				name := g.UUID
				if name == "" {
					name = g.Key
				}
				add(to, n.Name, name, g.Metrics)
			}
		}
	}
}

func add(to map[Series]*Stat, node, gpu string, numbers schema.Metrics) {
	for metric, v := range numbers {
		at := Series{node, gpu, metric}
		st := to[at]
		if st == nil {
			st = &Stat{Min: v, Max: v}
			to[at] = st
		}
		st.N++
		st.Mean += (v - st.Mean) / float64(st.N)
		st.Min, st.Max, st.Last = min(st.Min, v), max(st.Max, v), v
	}
}

// Collect returns the numbers of a tag so far; empty: it has none.
func (c *Collector) Collect(tag string) map[Series]Stat {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[Series]Stat, len(c.tags[tag]))
	for at, st := range c.tags[tag] {
		out[at] = *st
	}
	return out
}
