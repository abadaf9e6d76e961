package process

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// problem is the place of the next process on a GPU with a problem, round the end; the same one if there is no other.
func (l *listing) problem(s *part.Scene, at, by int) int {
	return nav.Next(len(l.order), at, by, func(i int) bool {
		r := l.at(i)
		return r.On != nil && slices.ContainsFunc(s.Health.OfGPU(r.Node.Name, r.On),
			func(f *cluster.Finding) bool { return f.Severity >= cluster.Warning })
	})
}

// job is the place of the first process of the next job that has some, round the end; -1: there is none.
func (l *listing) job(s *part.Scene, by int) int {
	first := func(job int) int {
		return slices.IndexFunc(l.order, func(i int32) bool { return l.rows[i].Job == s.Snap.Jobs[job].ID })
	}
	if next := nav.Next(len(s.Snap.Jobs), s.JobAt, by, func(job int) bool { return first(job) >= 0 }); next != s.JobAt {
		return first(next)
	}
	return -1
}

// placeOf is the place of a process; -1: it has no row.
func (l *listing) placeOf(at nav.Process) int {
	return slices.IndexFunc(l.order, func(i int32) bool { return keyOf(&l.rows[i]) == at })
}
