// Package site has the parts of the demo's site that do not change: the rest of the cluster, and the environment of
// programs. It also has the work of the demo's programs, their GPUs, their logs, and what the kernel, Python and NCCL
// say about them. It is pure.
package site

import (
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

// Node is a node of the user's jobs. It has the job and its user for each of its GPUs, or "" for a free GPU.
type Node struct {
	Name, Model string
	GPUs        []Holder
}

// Holder is a job that has a GPU.
type Holder struct{ Job, User string }

// others are the nodes of the cluster without a job of the user.
var others = []capacity.SuppliedGPUs{
	{Name: "gpu-s13", States: []string{"IDLE"}, Types: []notation.GPUType{{Name: "a100", Total: 8, Known: true}}},
	{Name: "gpu-s14", States: []string{"MIXED"},
		Types: []notation.GPUType{{Name: "a100", Total: 8, Used: 5, Known: true}}},
	{Name: "gpu-s15", States: []string{"IDLE", "DRAIN"},
		Reason: "GPU 3 has fallen off the bus [root@2026-11-19T09:12:40]",
		Types:  []notation.GPUType{{Name: "a100", Total: 8, Known: true}}},
	{Name: "gpu-s16", States: []string{"IDLE", "RESERVED"},
		Types: []notation.GPUType{{Name: "a100", Total: 8, Known: true}}},
	{Name: "mig-01", States: []string{"MIXED"},
		Types: []notation.GPUType{{Name: "a100_1g.10gb", Total: 14, Used: 3, Known: true},
			{Name: "a100_3g.40gb", Total: 4, Used: 4, Known: true}}},
}

// otherJobs are the jobs on the nodes of others.
var otherJobs = []capacity.SuppliedJob{{ID: "48009", User: "dave", Nodes: []string{"gpu-s14"}, PerNode: 5},
	{ID: "48344", User: "erin", Nodes: []string{"mig-01"}, PerNode: 7}}

// Cluster returns the GPUs that SLURM can give to jobs.
func Cluster(nodes []Node, at time.Time) *capacity.Cluster {
	s := &capacity.Supply{Nodes: slices.Clone(others), Jobs: slices.Clone(otherJobs),
		Partitions: []capacity.SuppliedPartition{
			{Name: "gpu", Default: true, State: "up"}, {Name: "gpu-long", State: "up"}, {Name: "mig", State: "up"},
		}}
	for i := range nodes {
		addNode(s, &nodes[i])
	}
	slices.SortFunc(s.Nodes, func(a, b capacity.SuppliedGPUs) int { return strings.Compare(a.Name, b.Name) })
	for i := range s.Nodes {
		at := 0
		switch name := s.Nodes[i].Name; {
		case strings.HasPrefix(name, "gpu-n"):
			at = 1
		case strings.HasPrefix(name, "mig"):
			at = 2
		}
		s.Partitions[at].Nodes = append(s.Partitions[at].Nodes, s.Nodes[i].Name)
	}
	return capacity.Of(s, at)
}

// addNode adds a node with its jobs.
func addNode(s *capacity.Supply, n *Node) {
	has := map[Holder]int{}
	for _, h := range n.GPUs {
		if h != (Holder{}) {
			has[h]++
		}
	}
	used := 0
	for h, gpus := range has {
		used += gpus
		s.Jobs = append(s.Jobs, capacity.SuppliedJob{ID: h.Job, User: h.User, Nodes: []string{n.Name}, PerNode: gpus})
	}
	slices.SortFunc(s.Jobs, func(a, b capacity.SuppliedJob) int { return strings.Compare(a.ID, b.ID) })
	s.Nodes = append(s.Nodes, capacity.SuppliedGPUs{Name: n.Name, States: []string{"MIXED"},
		Types: []notation.GPUType{{Name: typeOf(n.Model), Total: len(n.GPUs), Used: used, Known: true}}})
}

// typeOf is the GRES type of a model: "h100" for "NVIDIA H100 80GB HBM3".
func typeOf(model string) string {
	_, name, _ := strings.Cut(model, " ")
	name, _, _ = strings.Cut(name, " ")
	name, _, _ = strings.Cut(name, "-")
	return strings.ToLower(name)
}
