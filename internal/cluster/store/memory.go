package store

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/clean"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// jobMemories returns the host memory of the jobs in a report, with their trends.
func (n *nodeRecord) jobMemories(at time.Time, r *wire.Report) []cluster.JobMemory {
	var out []cluster.JobMemory
	for _, m := range clean.Memory(r.Jobs) {
		var was cluster.JobMemory
		if i := slices.IndexFunc(n.Memory, func(o cluster.JobMemory) bool { return o.Job == m.Job }); i >= 0 {
			was = n.Memory[i]
		}
		out = append(out, cluster.JobMemory{JobMemory: m}.After(was, at, r.MonoMS))
	}
	return out
}
