package source

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
)

// Watch is a session with a Store.
type Watch struct {
	*Session
	Store *store.Store

	began           time.Time
	timeout, second time.Duration
}

// NewStore returns a Store for the reports of nodes, according to the settings.
func NewStore(cfg *config.Config) *store.Store {
	s := store.New(cfg.Poll, health.Rules(cfg.Thresholds))
	s.Show(cfg.History)
	return s
}

// OpenWatch runs a Source for a Store, and for takers if there are any. second is how long after its first report each
// node sends a second one, which Settle waits for; 0: there is no second report.
func OpenWatch(ctx context.Context, cfg *config.Config, second time.Duration, from cluster.Source,
	takers ...func(cluster.Event)) *Watch {
	store := NewStore(cfg)
	w := &Watch{
		Store: store, began: time.Now(), timeout: cfg.Timeout, second: second,
		Session: StartSession(ctx, from, append([]func(cluster.Event){store.Apply}, takers...)...),
	}
	w.keepFaults()
	return w
}

// Settle waits until all nodes have reported or failed, or for the time in the settings. look gets each Snapshot in the
// meantime, and the nodes whose second report is awaited; it may be nil.
func (w *Watch) Settle(look func(s *cluster.Snapshot, early []*cluster.Node)) {
	w.CatchUp(min(w.timeout, PastPatience))
	whole := tally.Settling{Second: w.second}
	w.Await(max(w.timeout-time.Since(w.began), time.Nanosecond), func() bool {
		s := w.Look(time.Now())
		if look != nil {
			look(s, whole.Early(s))
		}
		return whole.Over(s)
	})
}

// Snapshot returns the present state. If SLURM has not answered by now, the Snapshot has a failure.
func (w *Watch) Snapshot() *cluster.Snapshot {
	return LastLook(w.Store, w.Present(time.Now()), w.began)
}

// Look returns the state at a time of this host.
func (w *Watch) Look(now time.Time) *cluster.Snapshot { return w.Store.Snapshot(w.Present(now)) }

// Each calls see with a Snapshot at each interval, until no more Events will come or see returns false.
func (w *Watch) Each(every time.Duration, see func(*cluster.Snapshot) bool) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for w.ctx.Err() == nil && see(w.Snapshot()) {
		select {
		case <-tick.C:
		case <-w.ctx.Done():
		}
	}
}
