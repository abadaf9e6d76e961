package rows

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
)

// Users are the fields of a user who has processes on the nodes.
var Users = field.Table[UserRow]{Name: "users", Fields: []field.Field[UserRow]{
	{Key: "user", Example: "alice", Help: "user name", Title: "user", Width: 10,
		Text: func(u *UserRow) string { return u.User }},
	{Key: "nodes", Unit: field.Count, Example: "4", Help: "how many nodes", Title: "nodes", Width: 5, DownFirst: true,
		Number: func(u *UserRow) (float64, bool) { return knownNumber(u.Nodes) }},
	{Key: "gpus", Unit: field.Count, Example: "32", Help: "how many GPUs", Title: "GPUs", Width: 5, DownFirst: true,
		Number: func(u *UserRow) (float64, bool) { return knownNumber(u.GPUs) }},
	{Key: "processes", Unit: field.Count, Example: "8", Help: "how many processes", Title: "procs", Width: 5,
		DownFirst: true, Number: func(u *UserRow) (float64, bool) { return knownNumber(u.Procs) }},
	{Key: "gpu_memory_bytes", Also: []string{"mem", "gpu_mem"}, Unit: field.Bytes, Example: "10GiB",
		Help: "GPU memory of the processes", Title: "GPU-MEM", Width: 8, DownFirst: true,
		Number: func(u *UserRow) (float64, bool) { return measuredNumber(u.Memory) }},
	{Key: "power_sum_watts", Also: []string{"power_sum"}, Unit: field.Watts, Example: "2kW",
		Help: "power draw of the GPUs together", Title: "power", Width: 7, DownFirst: true,
		Number: func(u *UserRow) (float64, bool) { return measuredNumber(u.Power) }},
	{Key: "elapsed_seconds", Also: []string{"time"}, Unit: field.Seconds, Example: "2h", Help: "how long it has run",
		Title: "longest", Width: 8, DownFirst: true,
		Number: func(u *UserRow) (float64, bool) { return field.Known(u.Longest) }},
	{Key: "job", Example: "48211", Help: "job ID", Title: "jobs", Width: 8,
		Each: func(u *UserRow, to []field.Value) []field.Value {
			for _, id := range u.Jobs {
				to = field.Word(to, id)
			}
			return to
		}},
	{Key: "command", Also: []string{"cmd"}, Example: "train.py", Help: "command line", Title: "command", Width: 8,
		Text: func(u *UserRow) string { return u.Command }},
}, Words: func(u *UserRow, to []string) []string {
	return slices.Concat(to, []string{u.User, u.Command}, u.Jobs)
}}
