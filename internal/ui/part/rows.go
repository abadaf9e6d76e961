package part

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
)

// everyone is the rows of all jobs and users of a Snapshot: too much to work out for each key.
type everyone struct {
	of    *cluster.Snapshot
	jobs  []tally.JobRow  // nil: not asked for yet
	users []tally.UserRow // likewise
}

// everyone empties the rows if they are of another Snapshot.
func (s *Scene) everyone() *everyone {
	if r := &s.Memory.everyone; r.of != s.Snap {
		*r = everyone{of: s.Snap}
	}
	return &s.Memory.everyone
}

// Jobs are tally.Jobs of the Snapshot. They must not be changed.
func (s *Scene) Jobs() []tally.JobRow {
	r := s.everyone()
	if r.jobs == nil {
		r.jobs = tally.Jobs(s.Snap)
	}
	return r.jobs
}

// Users are tally.Users of the Snapshot, on the GPUs that are to be shown. They must not be changed.
func (s *Scene) Users() []tally.UserRow {
	r := s.everyone()
	if r.users == nil {
		r.users = tally.Users(s.Snap, s.Only)
	}
	return r.users
}
