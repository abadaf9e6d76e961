package rows

import (
	"cmp"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
)

// AllNodes replaces the name of a partition for GPUs of all nodes.
const AllNodes = "all nodes"

// Partitions has the fields of a partition's GPUs of one type.
var Partitions = field.Table[capacity.PartitionGPUs]{Name: "partitions", Fields: slices.Concat(
	[]field.Field[capacity.PartitionGPUs]{
		{Key: "partition", Example: "gpu", Help: "SLURM partition", Title: "partition", Width: 9,
			Text: partitionName},
	},
	field.Of(ofCount, func(p *capacity.PartitionGPUs) *capacity.Count { return &p.Count }),
	[]field.Field[capacity.PartitionGPUs]{
		{Key: "state", Example: "up", Help: "state of the partition", Title: "state", Width: 5, Text: partitionState},
	},
), Words: func(p *capacity.PartitionGPUs, to []string) []string { return append(to, partitionName(p), p.Type) }}

// ClusterNodes has the fields of a cluster node's GPUs of one type.
var ClusterNodes = field.Table[capacity.NodeGPUs]{Name: "nodes of the cluster", Fields: slices.Concat(
	[]field.Field[capacity.NodeGPUs]{
		{Key: "node", Also: []string{"host"}, Example: "gpu-n01", Help: "name of the node", Title: "node", Width: 10,
			Text: func(n *capacity.NodeGPUs) string { return n.Name }},
	},
	field.Of(ofCount, func(n *capacity.NodeGPUs) *capacity.Count { return &n.Count }),
	[]field.Field[capacity.NodeGPUs]{
		{Key: "state", Example: "drain+idle", Help: "states of the node, as SLURM names them", Title: "state", Width: 8,
			Text: func(n *capacity.NodeGPUs) string { return n.Words() }},
		{Key: "user", Example: "alice", Help: "users with jobs there", Title: "users", Width: 8,
			Each: func(n *capacity.NodeGPUs, to []field.Value) []field.Value { return appendWords(n.Users, to) }},
		{Key: "job", Example: "48211", Help: "job ID", Title: "jobs", Width: 8,
			Each: func(n *capacity.NodeGPUs, to []field.Value) []field.Value { return appendWords(n.Jobs, to) }},
		{Key: "partition", Example: "gpu", Help: "SLURM partitions", Title: "partitions", Width: 10,
			Each: func(n *capacity.NodeGPUs, to []field.Value) []field.Value { return appendWords(n.Partitions, to) }},
		{Key: "reason", Example: "fan", Help: "the reason why the node is not available, in an admin's words",
			Title: "reason", Width: 8, Text: func(n *capacity.NodeGPUs) string { return n.Reason }},
	},
), Words: func(n *capacity.NodeGPUs, to []string) []string {
	return slices.Concat(append(to, n.Name, n.Type, n.Words(), n.Reason), n.Users, n.Jobs, n.Partitions)
}}

// ofCount has the fields of GPUs of one type.
var ofCount = []field.Field[capacity.Count]{
	{Key: "type", Also: []string{"model"}, Example: "a100", Help: "GRES type of the GPUs; gpu if they have none",
		Title: "type", Width: 6, Text: func(c *capacity.Count) string { return cmp.Or(c.Type, "gpu") }},
	gpuCountField("free", "GPUs that a job can ask for now", func(c *capacity.Count) int { return c.Free }),
	gpuCountField("used", "GPUs that are allocated to jobs", func(c *capacity.Count) int { return c.Used }),
	gpuCountField("out", "GPUs that are neither: their node is down, drained, reserved or full",
		func(c *capacity.Count) int { return c.Out }),
	gpuCountField("total", "all these GPUs", func(c *capacity.Count) int { return c.Total }),
}

// gpuCountField returns a field with a number of GPUs; its key is its title.
func gpuCountField(key, help string, of func(*capacity.Count) int) field.Field[capacity.Count] {
	return field.Field[capacity.Count]{Key: key, Unit: field.Count, Example: "4", Help: help, Title: key, Width: 5,
		DownFirst: true, Number: func(c *capacity.Count) (float64, bool) { return knownNumber(of(c)) }}
}

func partitionName(p *capacity.PartitionGPUs) string {
	if p.Partition == nil {
		return AllNodes
	}
	return p.Name
}

func partitionState(p *capacity.PartitionGPUs) string {
	switch {
	case p.Partition == nil:
		return ""
	case p.Default:
		return p.State + ", default"
	}
	return p.State
}

func appendWords(list []string, to []field.Value) []field.Value {
	for _, s := range list {
		to = field.Word(to, s)
	}
	return to
}
