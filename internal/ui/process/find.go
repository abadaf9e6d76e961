package process

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// hasProblem reports whether the GPU of a process has a problem.
func hasProblem(s *part.Scene, r *table.ProcessRow) bool {
	return r.On != nil && slices.ContainsFunc(s.Health.OfGPU(r.Node.Name, r.On),
		func(f *cluster.Finding) bool { return f.Severity >= cluster.Warning })
}

// besideJob returns the index of the first process of the next job that has processes, with a wrap at the ends; -1:
// there is none.
func besideJob(s *part.Scene, v *view, by int) int {
	first := func(job int) int {
		return v.Find(func(r *table.ProcessRow) bool { return r.Job == s.Snap.Jobs[job].ID })
	}
	if next := nav.Next(len(s.Snap.Jobs), s.JobAt, by, func(job int) bool { return first(job) >= 0 }); next != s.JobAt {
		return first(next)
	}
	return -1
}
