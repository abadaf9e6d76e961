package process

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// problem is the place of the next process on a GPU with a problem, round the end; -1: there is none.
func (l *listing) problem(s *part.Scene, at, by int) int {
	n := len(l.order)
	for i := 1; i <= n; i++ {
		next := ((at+i*by)%n + n) % n
		if r := l.at(next); r.On != nil && slices.ContainsFunc(s.Health.OfGPU(r.Node.Name, r.On), func(f *cluster.Finding) bool { return f.Severity >= cluster.Warning }) {
			return next
		}
	}
	return -1
}

// job is the place of the first process of the next job that has some, round the end; -1: there is none.
func (l *listing) job(s *part.Scene, by int) int {
	n := len(s.Snap.Jobs)
	for i := 1; i < n; i++ {
		id := s.Snap.Jobs[((s.JobAt+i*by)%n+n)%n].ID
		if at := slices.IndexFunc(l.order, func(i int32) bool { return l.rows[i].Job == id }); at >= 0 {
			return at
		}
	}
	return -1
}

// placeOf is the place of a process; -1: it has no row.
func (l *listing) placeOf(at nav.Process) int {
	return slices.IndexFunc(l.order, func(i int32) bool { return keyOf(&l.rows[i]) == at })
}
