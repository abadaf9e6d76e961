package part

import (
	"maps"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/tally"
)

// facts are what was worked out of a Snapshot about a job: a job has thousands of GPUs, and there is a frame for each
// key.
type facts struct {
	of    *cluster.Snapshot
	job   *cluster.JobView
	known map[any]any // by what it is
}

// Once returns what make makes of the Snapshot and the selected job, which is made once for each of them. key says what
// that is, and on what else it depends; its type should be the caller's own. It must not be changed.
func Once[T any](s *Scene, key any, make func() T) T {
	f := &s.Memory.facts
	if f.of != s.Snap || f.job != s.Job {
		*f = facts{of: s.Snap, job: s.Job, known: map[any]any{}}
	}
	if known, there := f.known[key]; there {
		return known.(T)
	}
	made := make()
	f.known[key] = made
	return made
}

// OfSnapshot is Once for what does not depend on the selected job, or whose key names the job.
func OfSnapshot[T any](s *Scene, key any, make func() T) T {
	k := &s.Memory.snapshot
	k.turn(s.Snap)
	if known, there := k.by[key]; there {
		return known.(T)
	}
	made := make()
	k.by[key] = made
	return made
}

// Again is OfSnapshot for what is large: make gets what it made of the Snapshot before, whose memory it may use; the
// zero value if there is none. Nobody may keep the result, or a part of it, when the next Snapshot comes.
func Again[T any](s *Scene, key any, make func(before T) T) T {
	return OfSnapshot(s, key, func() T {
		room := s.Memory.snapshot.room
		before, _ := room[key].(T)
		made := make(before)
		room[key] = made
		return made
	})
}

// known is what was worked out of a Snapshot, by what it is.
type known struct {
	of   *cluster.Snapshot
	by   map[any]any
	room map[any]any // what Again made, of this Snapshot or the one before
}

// turn forgets what is known of another Snapshot, and the room that it did not need.
func (k *known) turn(to *cluster.Snapshot) {
	if k.of == to && k.by != nil {
		return
	}
	maps.DeleteFunc(k.room, func(key, _ any) bool { _, used := k.by[key]; return !used })
	if k.room == nil {
		k.room = map[any]any{}
	}
	k.of, k.by = to, map[any]any{}
}

// Jobs are tally.Jobs of the Snapshot. They must not be changed.
func (s *Scene) Jobs() []tally.JobRow {
	return OfSnapshot(s, jobsKey{}, func() []tally.JobRow { return tally.Jobs(s.Snap) })
}

// Users are tally.Users of the Snapshot, on the GPUs that are to be shown. They must not be changed.
func (s *Scene) Users() []tally.UserRow {
	return OfSnapshot(s, usersKey{}, func() []tally.UserRow { return tally.Users(s.Snap, s.Only) })
}

// latest is the result for the last of several.
type latest struct{ of, made any }

// Latest is Once for what also depends on something that changes while the Snapshot stays, as a filter does with every
// key that is typed: of those results only the last is kept.
func Latest[T any](s *Scene, key, of any, make func() T) T {
	kept := Once(s, key, func() *latest { return &latest{} })
	if kept.made == nil || kept.of != of {
		*kept = latest{of, make()}
	}
	return kept.made.(T)
}

// The keys of Once in this package.
type (
	freshKey struct{}
	totalKey struct{}
	lastKey  struct{}
	sumKey   struct{}
	slotsKey struct{ mine bool }
	jobsKey  struct{}
	usersKey struct{}
)

// Fresh are tally.Fresh of the job. They must not be changed.
func (s *Scene) Fresh() []*cluster.GPU {
	return Once(s, freshKey{}, func() []*cluster.GPU { return tally.Fresh(s.Snap, s.Job) })
}

// LastSaid are Fresh, or in a silence of all nodes the GPUs with what they said before it. They must not be changed.
func (s *Scene) LastSaid() []*cluster.GPU {
	if !s.Old() {
		return s.Fresh()
	}
	return Once(s, lastKey{}, func() []*cluster.GPU { return tally.Known(s.Snap, s.Job) })
}

// Old says that the sums of the job are those before a silence of all nodes.
func (s *Scene) Old() bool { return s.Health.Silent() && len(s.Fresh()) == 0 }

// LastTotal is tally.Total of LastSaid.
func (s *Scene) LastTotal() tally.Totals {
	return Once(s, sumKey{}, func() tally.Totals { return tally.Total(s.LastSaid()) })
}

// Total is tally.Total of Fresh.
func (s *Scene) Total() tally.Totals {
	return Once(s, totalKey{}, func() tally.Totals { return tally.Total(s.Fresh()) })
}
