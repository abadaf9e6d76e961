package rows

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Node is a row about a node of a job.
type Node struct {
	Snapshot *cluster.Snapshot
	Job      *cluster.JobView
	Findings map[string][]*cluster.Finding // present findings, by node

	node *cluster.Node  // as seen last
	gpus []*cluster.GPU // the job's GPUs there; nil: not looked up yet
	sums *sums          // sums over gpus; nil: not computed yet
}

// Nodes has the fields of a node: the numbers of each of the job's GPUs there, and the overview's sums over them.
var Nodes = field.Table[Node]{Name: "nodes", Words: (*Node).appendWords, Fields: slices.Concat(
	[]field.Field[Node]{
		{Key: "node", Also: []string{"host"}, Example: "gpu-n01", Help: "name of the node", Title: "node", Width: 10,
			Text: func(r *Node) string { return r.node.Name }},
		{Key: "state", Example: "reporting", Help: "state of the node",
			Text: func(r *Node) string { return string(r.node.State) }},
	},
	field.Each(slices.Concat([]field.Field[cluster.GPU]{numberOfGPU}, ofGPU), (*Node).jobGPUs),
	field.Of(ofSums, (*Node).totalSums),
	problemFields(func(r *Node) []*cluster.Finding { return r.Findings[r.node.Name] }),
	[]field.Field[Node]{
		{Key: "driver_version", Also: []string{"driver"}, Example: "550.54.15", Help: "version of the driver",
			Text: func(r *Node) string { return driverVersion(r.node) }},
		{Key: "rank", Unit: field.Count, Example: "13", Help: "rank of the process", Each: (*Node).appendRanks},
		{Key: "user", Example: "alice", Help: "user name", Text: func(r *Node) string { return r.Job.User }},
		{Key: "job", Example: "48211", Help: "job ID", Text: func(r *Node) string { return r.Job.ID }},
		{Key: "partition", Example: "gpu", Help: "SLURM partition",
			Text: func(r *Node) string { return r.Job.Partition }},
		{Key: "switch", Example: "leaf01", Help: "leaf switch or block of SLURM's topology",
			Text: func(r *Node) string { return r.node.Switch }},
	},
)}

// Of sets the row to the node with that name.
func (r *Node) Of(name *string) *Node {
	r.node, r.gpus, r.sums = tally.Node(r.Snapshot, *name).AsSeen(), nil, nil
	return r
}

// jobGPUs returns the job's GPUs on the node, if the node has values. A failed node has its past, as on the screen.
func (r *Node) jobGPUs() []*cluster.GPU {
	if r.gpus == nil && tally.Shows(r.node) {
		r.gpus = tally.Own(r.Job, r.node)
	}
	return r.gpus
}

// totalSums returns the sums over the job's GPUs on the node.
func (r *Node) totalSums() *sums {
	if r.sums == nil {
		r.sums = &sums{new(tally.Total(r.jobGPUs())), tally.Lowest(r.jobGPUs(), metric.Util)}
	}
	return r.sums
}

// appendRanks appends the ranks of the job's processes on the node.
func (r *Node) appendRanks(to []field.Value) []field.Value {
	for i := range r.node.Processes {
		if p := &r.node.Processes[i]; p.Rank != nil && r.Job.Runs(r.node, p) {
			to = append(to, field.Value{Number: float64(p.Rank.Rank)})
		}
	}
	return to
}

// appendWords appends the name of the node, and the names of its problems.
func (r *Node) appendWords(to []string) []string {
	to = append(to, r.node.Name)
	for _, f := range r.Findings[r.node.Name] {
		to = append(to, say.LabelOf(f).One)
	}
	return to
}
