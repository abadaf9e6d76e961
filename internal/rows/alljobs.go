package rows

import (
	"math"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// AllJobs has the fields of the jobs of all users.
var AllJobs = field.Table[capacity.Job]{Name: "jobs of all users", Fields: []field.Field[capacity.Job]{
	{Key: "job", Example: "48211", Help: "job ID", Title: "job", Width: 9,
		Text: func(j *capacity.Job) string { return j.ID }},
	{Key: "user", Example: "alice", Help: "user name", Title: "user", Width: 10,
		Text: func(j *capacity.Job) string { return j.User }},
	{Key: "partition", Example: "gpu", Help: "SLURM partition", Title: "partition", Width: 9,
		Text: func(j *capacity.Job) string { return j.Partition }},
	{Key: "nodes", Unit: field.Count, Example: "4", Help: "how many nodes", Title: "nodes", Width: 5, DownFirst: true,
		Number: func(j *capacity.Job) (float64, bool) { return knownNumber(len(j.Nodes)) }},
	{Key: "gpus", Unit: field.Count, Example: "32", Help: "how many GPUs", Title: "GPUs", Width: 4, DownFirst: true,
		Number: func(j *capacity.Job) (float64, bool) { return field.Known(j.GPUs) }},
	{Key: "elapsed_seconds", Also: []string{"time"}, Unit: field.Seconds, Example: "2h", Help: "how long it has run",
		Title: "time", Width: 8, DownFirst: true,
		Number: func(j *capacity.Job) (float64, bool) { return field.Known(j.Elapsed) }},
	{Key: "left_seconds", Also: []string{"left"}, Unit: field.Seconds, Example: "2h", Title: "left", Width: 8,
		Help: "how long it may still run",
		Number: func(j *capacity.Job) (float64, bool) {
			if j.Unlimited {
				return math.Inf(1), true
			}
			return field.Known(j.Left)
		}},
	{Key: "node", Also: []string{"host"}, Example: "gpu-n01", Help: "name of the node", Title: "on", Width: 12,
		Each: func(j *capacity.Job, to []field.Value) []field.Value { return appendWords(j.Nodes, to) }},
}, Words: func(j *capacity.Job, to []string) []string {
	return slices.Concat(append(to, j.ID, j.User, j.Partition), j.Nodes)
}}

// IdleGPUs has the fields of GPUs that are allocated but idle.
var IdleGPUs = field.Table[capacity.IdleGPU]{Name: "idle GPUs", Fields: []field.Field[capacity.IdleGPU]{
	{Key: "node", Also: []string{"host"}, Example: "gpu-n01", Help: "name of the node", Title: "node", Width: 10,
		Text: func(g *capacity.IdleGPU) string { return g.Node.Name }},
	{Key: "gpu", Unit: field.Count, Example: "3", Help: "number of the GPU", Title: "GPU", Width: 3,
		Number: func(g *capacity.IdleGPU) (float64, bool) { return gpuNumber(g.Number) }},
	{Key: "idle_seconds", Also: []string{"idle"}, Unit: field.Seconds, Example: "10m", Title: "idle", Width: 8,
		Help: "how long it has been idle, as far as its history goes", DownFirst: true,
		Number: func(g *capacity.IdleGPU) (float64, bool) { return g.For.Seconds(), true }},
	{Key: "memory_used_bytes", Unit: field.Bytes, Example: "40GiB", Title: "memory", Width: 8,
		Help: "used memory", DownFirst: true,
		Number: func(g *capacity.IdleGPU) (float64, bool) { return g.Get(metric.MemoryUsed) }},
	{Key: "user", Example: "alice", Help: "users with jobs on the node", Title: "users there", Width: 11,
		Each: func(g *capacity.IdleGPU, to []field.Value) []field.Value { return appendWords(g.Node.Users, to) }},
	{Key: "job", Example: "48211", Help: "job ID", Title: "jobs there", Width: 10,
		Each: func(g *capacity.IdleGPU, to []field.Value) []field.Value { return appendWords(g.Node.Jobs, to) }},
	{Key: "gpu_name", Example: "H100", Help: "model of the GPU", Title: "model", Width: 14,
		Text: func(g *capacity.IdleGPU) string { return tally.ShortModel(g.Card.Name) }},
}, Words: func(g *capacity.IdleGPU, to []string) []string {
	return slices.Concat(append(to, g.Node.Name, g.Card.Name), g.Node.Users, g.Node.Jobs)
}}
