// Package capacity counts the GPUs of a cluster from SLURM's answers alone: by node, by partition and by type, which
// are free, in use or out, and whose jobs use them. It also finds GPUs that SLURM has given to jobs but that do
// nothing.
//
// Everything here is a function of its arguments: it reads no clock and keeps no state. A Cluster never changes, so any
// goroutine may read it. Its texts are safe to display.
package capacity

import (
	_ "embed"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

// Cluster has the GPUs of a cluster that the user may see.
type Cluster struct {
	Time       time.Time   `json:"time"`
	Types      []Count     `json:"types"` // on all nodes; each GPU counts once, in however many partitions it is
	Partitions []Partition `json:"partitions"`
	Nodes      []Node      `json:"nodes"`

	// GPUs in use on nodes for which SLURM shows no job: it hides the jobs of others, or did not list them
	Hidden int    `json:"gpus_of_hidden_jobs"`
	NoJobs string `json:"jobs_error,omitempty"` // why SLURM did not list the jobs
	Note   string `json:"note,omitempty"`       // which cluster was asked, if the user names several

	jobs []Job

	byPartition []PartitionGPUs
	byNode      []NodeGPUs
}

// Partition has the GPUs of a partition, by GRES type.
type Partition struct {
	Name    string  `json:"name"`
	Default bool    `json:"default,omitempty"`
	State   string  `json:"state"` // as sinfo names it: "up", …
	GPUs    []Count `json:"gpus"`
}

// Node has the GPUs of a node, by GRES type.
type Node struct {
	Name       string    `json:"name"`
	States     []string  `json:"states"`
	Silent     bool      `json:"not_responding,omitempty"`
	Reason     string    `json:"reason,omitempty"` // in an admin's words
	ReasonBy   string    `json:"reason_by,omitempty"`
	ReasonAt   time.Time `json:"reason_time,omitzero"`
	Partitions []string  `json:"partitions"`
	GPUs       []Count   `json:"gpus"`
	Users      []string  `json:"users,omitempty"` // users whose jobs have its GPUs, as far as SLURM shows them
	Jobs       []string  `json:"jobs,omitempty"`  // IDs of these jobs

	inUse []int // indices of its GPUs that are in use
}

// Count is the number of GPUs of one GRES type. Each is either free, used or out.
type Count struct {
	Type string `json:"type,omitempty"` // "" if the GPUs have no type
	Free int    `json:"free"`           // a job can ask for them now
	Used int    `json:"used"`           // allocated to jobs
	// neither free nor used: the node is down, drained or reserved, has no CPU or memory left, or does not report its
	// allocation
	Out   int `json:"out"`
	Total int `json:"total"`
}

// PartitionGPUs counts the GPUs of one type in a partition, or on all nodes if there is no Partition.
type PartitionGPUs struct {
	*Partition
	Count
}

// NodeGPUs counts the GPUs of one type on a node.
type NodeGPUs struct {
	*Node
	Count
}

// ByPartition returns the GPUs of all nodes by type, and then those of the partitions. The list must not be changed.
func (c *Cluster) ByPartition() []PartitionGPUs { return c.byPartition }

// ByNode returns the GPUs of the nodes. The list must not be changed.
func (c *Cluster) ByNode() []NodeGPUs { return c.byNode }

// Total returns the sum over all types.
func (c *Cluster) Total() (sum Count) {
	for _, g := range c.Types {
		sum = sum.plusNode(g, true)
	}
	return sum
}

// Words returns the states of the node as one text, beginning with those in which it takes no jobs: "drain+idle, not
// responding".
func (n *Node) Words() string {
	states := slices.Clone(n.States)
	slices.SortStableFunc(states, func(a, b string) int {
		switch closed := closesNode(strings.ToUpper(a)); {
		case closed == closesNode(strings.ToUpper(b)):
			return 0
		case closed:
			return -1
		}
		return 1
	})
	words := strings.Join(states, "+")
	if n.Silent {
		words += ", not responding"
	}
	return words
}

// maxWord and maxReason limit SLURM's names and sentences, in bytes.
const maxWord, maxReason = 256, 1024

// Of counts the GPUs of a cluster.
func Of(s *Supply, at time.Time) *Cluster {
	c := &Cluster{Time: at, Types: []Count{}, Partitions: []Partition{}, Nodes: []Node{}}
	places, open := map[string]int{}, map[string]bool{} // open: on a node of a partition that is up
	for i := range s.Nodes {
		places[s.Nodes[i].Name] = i
		c.Nodes = append(c.Nodes, nodeOf(&s.Nodes[i]))
	}
	for i := range s.Partitions {
		c.addPartition(&s.Partitions[i], places, open)
	}
	for i := range c.Nodes {
		c.Nodes[i].openTo(open[c.Nodes[i].Name])
	}
	c.addUsers(s, places)
	c.addJobs(s, places)
	c.Note = safe.Line(s.Note, maxReason)
	if s.NoJobs != nil {
		c.NoJobs = safe.Line(s.NoJobs.Error(), maxReason)
	}
	c.makeLists()
	return c
}

// addPartition adds a partition, and names it on its nodes.
func (c *Cluster) addPartition(p *SuppliedPartition, places map[string]int, open map[string]bool) {
	out := Partition{Name: safe.Line(p.Name, maxWord), Default: p.Default, State: safe.Line(p.State, maxWord),
		GPUs: []Count{}}
	sums, up := map[string]Count{}, p.State == "up"
	for _, name := range slices.Compact(slices.Sorted(slices.Values(p.Nodes))) {
		at, known := places[name]
		if !known {
			continue
		}
		node := &c.Nodes[at]
		node.Partitions = append(node.Partitions, out.Name)
		open[name] = open[name] || up
		for _, g := range node.GPUs {
			sums[g.Type] = sums[g.Type].plusNode(g, up)
		}
	}
	out.GPUs = append(out.GPUs, inOrder(sums)...)
	c.Partitions = append(c.Partitions, out)
}

// inOrder returns the counts, ordered by the names of their types.
func inOrder(sums map[string]Count) (list []Count) {
	for _, typ := range slices.Sorted(maps.Keys(sums)) {
		list = append(list, sums[typ])
	}
	return list
}

// openTo records whether a partition gives the GPUs of the node to jobs.
func (n *Node) openTo(jobs bool) {
	for i, g := range n.GPUs {
		n.GPUs[i] = Count{Type: g.Type}.plusNode(g, jobs)
	}
}

// plusNode adds the GPUs of a node. In a partition that is not up, none are free.
func (c Count) plusNode(g Count, up bool) Count {
	if !up {
		g.Free, g.Out = 0, g.Out+g.Free
	}
	return Count{g.Type, c.Free + g.Free, c.Used + g.Used, c.Out + g.Out, c.Total + g.Total}
}

func (c *Cluster) makeLists() {
	sums := map[string]Count{}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		for _, g := range n.GPUs {
			sums[g.Type] = sums[g.Type].plusNode(g, true)
			c.byNode = append(c.byNode, NodeGPUs{n, g})
		}
	}
	c.Types = append(c.Types, inOrder(sums)...)
	for _, g := range c.Types {
		c.byPartition = append(c.byPartition, PartitionGPUs{nil, g})
	}
	for i := range c.Partitions {
		for _, g := range c.Partitions[i].GPUs {
			c.byPartition = append(c.byPartition, PartitionGPUs{&c.Partitions[i], g})
		}
	}
}

// Schema is the JSON Schema of the document.
//
//go:embed schema.json
var Schema []byte

// version is the version of the document. The meaning of a field changes only together with it.
const version = 1

// WriteJSON writes the document, indented, with a newline at the end.
func (c *Cluster) WriteJSON(w io.Writer) error {
	return text.WriteJSON(w, "  ", struct {
		Version int `json:"version"`
		*Cluster
	}{version, c})
}
