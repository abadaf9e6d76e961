package rows

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/tally"
)

// NodeFields are the fields of a node: the numbers are those of each of the job's GPUs there, and those that the
// overview works out of them.
var NodeFields = filter.Of(slices.Concat(
	[]filter.Key{filter.Node, filter.State}, ofGPUs, overGPUs, []filter.Key{filter.Problem, filter.Letter,
		filter.Severity, filter.Rank, filter.User, filter.Job, filter.Partition, filter.Switch},
)...)

// Node is a node of a job as a filter.Subject.
type Node struct {
	Snapshot *cluster.Snapshot
	Job      *cluster.JobView
	Findings map[string][]*cluster.Finding // those that hold, by node

	node *cluster.Node
	gpus []*cluster.GPU
}

// Of is the node of that name.
func (r *Node) Of(name *string) filter.Subject {
	r.node, r.gpus = tally.Node(r.Snapshot, *name), nil
	return r
}

// Values implements filter.Subject.
func (r *Node) Values(key filter.Key, to []filter.Value) []filter.Value {
	switch key {
	case filter.Node:
		return word(to, r.node.Name)
	case filter.State:
		return word(to, string(r.node.State))
	case filter.Job:
		return word(to, r.Job.ID)
	case filter.User:
		return word(to, r.Job.User)
	case filter.Partition:
		return word(to, r.Job.Partition)
	case filter.Switch:
		return word(to, r.node.Switch)
	case filter.Problem, filter.Letter, filter.Severity:
		for _, f := range r.Findings[r.node.Name] {
			to = finding(to, key, f)
		}
		return to
	case filter.Rank:
		for i := range r.node.Processes {
			if p := &r.node.Processes[i]; p.Rank != nil && r.Job.Runs(r.node, p) {
				to = number(to, float64(p.Rank.Rank))
			}
		}
		return to
	}
	if r.gpus == nil && tally.HasNumbers(r.node) {
		r.gpus = tally.Own(r.Job, r.node)
	}
	return gpuValues(to, key, r.node, r.gpus)
}

// Texts implements filter.Subject: the name of the node, and the names of its problems.
func (r *Node) Texts(to []string) []string {
	to = append(to, r.node.Name)
	for _, f := range r.Findings[r.node.Name] {
		to = append(to, say.LabelOf(f).One)
	}
	return to
}
