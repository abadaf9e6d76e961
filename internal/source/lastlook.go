package source

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
)

// LastLook returns the Snapshot to print at a time. If SLURM has not answered since began, the Snapshot says so;
// otherwise it would look as if there were no jobs.
func LastLook(store *store.Store, now, began time.Time) *cluster.Snapshot {
	snap := store.Snapshot(now)
	d := snap.Discovery
	if d.Command == "" || !d.Asked.IsZero() { // SLURM was not needed, or has answered
		return snap
	}
	d.Asked, d.Took = now, now.Sub(began)
	d.Failure = command.Late(d.Took)
	store.Apply(cluster.Event{At: now, Discovery: &d})
	return store.Snapshot(now)
}
