package part

import (
	"maps"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/rows"
)

// jobCache has results computed from a Snapshot for a job: a job has thousands of GPUs, and each key draws a frame.
type jobCache struct {
	of    *cluster.Snapshot
	job   *cluster.JobView
	known map[any]any // the results by their keys
}

// Once returns the result of make, which it computes once for each Snapshot and selected job. key identifies the result
// and everything else that it depends on; its type should be the caller's own. The result must not be changed.
func Once[T any](s *Scene, key any, make func() T) T {
	f := &s.Memory.facts
	if f.of != s.Snap || f.job != s.Job {
		*f = jobCache{of: s.Snap, job: s.Job, known: map[any]any{}}
	}
	if known, there := f.known[key]; there {
		return known.(T)
	}
	made := make()
	f.known[key] = made
	return made
}

// OfSnapshot is Once for results that do not depend on the selected job, or whose key names the job.
func OfSnapshot[T any](s *Scene, key any, make func() T) T {
	k := &s.Memory.snapshot
	k.switchSnapshot(s.Snap)
	if known, there := k.by[key]; there {
		return known.(T)
	}
	made := make()
	k.by[key] = made
	return made
}

// Again is OfSnapshot for large results: make gets the result for the previous Snapshot, whose memory it may reuse, or
// the zero value. Nobody may keep a result, or a part of it, after the next Snapshot.
func Again[T any](s *Scene, key any, make func(before T) T) T {
	return OfSnapshot(s, key, func() T {
		room := s.Memory.snapshot.room
		before, _ := room[key].(T)
		made := make(before)
		room[key] = made
		return made
	})
}

// Onward is Again for results that are worth keeping for a while: make gets the last result even if the screen did not
// need it for a few Snapshots. make must recognize every change since then.
func Onward[T any](s *Scene, key any, make func(before T) T) T {
	return OfSnapshot(s, key, func() T {
		onward := s.Memory.snapshot.onward
		var before T
		if k := onward[key]; k != nil {
			before = k.result.(T)
		}
		made := make(before)
		onward[key] = &keptResult{result: made}
		return made
	})
}

// pauses is the number of Snapshots for which Onward keeps an unused result.
const pauses = 10

// keptResult is a result of Onward. ago is the number of Snapshots since it was made.
type keptResult struct {
	result any
	ago    int
}

// snapshotCache has the results for a Snapshot, by their keys.
type snapshotCache struct {
	of     *cluster.Snapshot
	by     map[any]any
	room   map[any]any // the results of Again, for this Snapshot or the previous one
	onward map[any]*keptResult
}

// switchSnapshot drops the results for another Snapshot, and the memory that was not used for it.
func (k *snapshotCache) switchSnapshot(to *cluster.Snapshot) {
	if k.of == to && k.by != nil {
		return
	}
	maps.DeleteFunc(k.room, func(key, _ any) bool { _, used := k.by[key]; return !used })
	maps.DeleteFunc(k.onward, func(_ any, l *keptResult) bool {
		l.ago++
		return l.ago > pauses
	})
	if k.room == nil {
		k.room, k.onward = map[any]any{}, map[any]*keptResult{}
	}
	k.of, k.by = to, map[any]any{}
}

// Jobs returns tally.Jobs of the Snapshot, which must not be changed.
func (s *Scene) Jobs() []tally.JobRow {
	return OfSnapshot(s, jobsKey{}, func() []tally.JobRow { return tally.Jobs(s.Snap) })
}

// Users returns rows.UsersOf of the Snapshot, on the GPUs to show. The result must not be changed.
func (s *Scene) Users() []rows.UserRow {
	return OfSnapshot(s, usersKey{}, func() []rows.UserRow { return rows.UsersOf(s.Snap, s.Only) })
}

// The keys of Once in this package.
type (
	freshKey struct{}
	totalKey struct{}
	knownKey struct{}
	sumKey   struct{}
	slotsKey struct{ mine bool }
	jobsKey  struct{}
	usersKey struct{}

	numbersKey struct {
		job   string
		known bool
	}
)

// Fresh returns tally.Fresh of the job, which must not be changed.
func (s *Scene) Fresh() []*cluster.GPU {
	return Once(s, freshKey{}, func() []*cluster.GPU { return tally.Fresh(s.Snap, s.Job) })
}

// Known returns tally.Known of the job, which must not be changed.
func (s *Scene) Known() []*cluster.GPU {
	return Once(s, knownKey{}, func() []*cluster.GPU { return tally.Known(s.Snap, s.Job) })
}

// LastSaid returns Fresh; if all nodes are silent, the GPUs with their values from before the silence. The result must
// not be changed.
func (s *Scene) LastSaid() []*cluster.GPU {
	if !s.Old() {
		return s.Fresh()
	}
	return s.Known()
}

// Old reports whether the sums of the job are from before a silence of all nodes.
func (s *Scene) Old() bool { return s.Health.Silent() && len(s.Fresh()) == 0 }

// Readings returns the numbers of Fresh.
func (s *Scene) Readings() *tally.Readings {
	return gpuReadings(s, numbersKey{job: s.Job.ID}, s.Fresh())
}

// KnownReadings returns the numbers of Known.
func (s *Scene) KnownReadings() *tally.Readings {
	if len(s.Known()) == len(s.Fresh()) { // they are the same
		return s.Readings()
	}
	return gpuReadings(s, numbersKey{job: s.Job.ID, known: true}, s.Known())
}

// gpuReadings returns the readings of GPUs of the job. key identifies the set of GPUs, of which there may be thousands.
func gpuReadings(s *Scene, key numbersKey, gpus []*cluster.GPU) *tally.Readings {
	return Onward(s, key, func(before *tally.Readings) *tally.Readings { return tally.NewReadings(gpus, before) })
}

// lastReadings returns the numbers of LastSaid.
func lastReadings(s *Scene) *tally.Readings {
	if s.Old() {
		return s.KnownReadings()
	}
	return s.Readings()
}

// LastTotal returns tally.Total of LastSaid.
func (s *Scene) LastTotal() tally.Totals {
	return Once(s, sumKey{}, func() tally.Totals { return lastReadings(s).Total() })
}

// Total returns tally.Total of Fresh.
func (s *Scene) Total() tally.Totals {
	return Once(s, totalKey{}, func() tally.Totals { return s.Readings().Total() })
}
