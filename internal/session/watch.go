package session

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/health"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/tally"
)

// Watch is a session with a Store.
type Watch struct {
	*Session
	Store *store.Store

	began           time.Time
	timeout, second time.Duration
}

// NewStore returns a Store of what nodes report as the settings say.
func NewStore(cfg *config.Config) *store.Store {
	return store.New(cfg.Poll, health.Rules(cfg.Thresholds))
}

// Open runs a Source for a Store, and for takers if there are any. Second is that of the nodes: how long after its
// first report each sends another, which is waited for; 0: it is not.
func Open(ctx context.Context, cfg *config.Config, second time.Duration, from cluster.Source,
	takers ...func(cluster.Event)) *Watch {
	store := NewStore(cfg)
	return &Watch{
		Store: store, began: time.Now(), timeout: cfg.Timeout, second: second,
		Session: Start(ctx, from, append([]func(cluster.Event){store.Apply}, takers...)...),
	}
}

// Settle waits until all nodes have reported or failed, or for the time that the settings give them. look sees each
// Snapshot meanwhile, and the nodes whose second report is waited for; it may be nil.
func (w *Watch) Settle(look func(s *cluster.Snapshot, early []*cluster.Node)) {
	w.CatchUp(min(w.timeout, Past))
	whole := tally.Settling{Second: w.second}
	w.Await(max(w.timeout-time.Since(w.began), time.Nanosecond), func() bool {
		s := w.Store.Snapshot(time.Now())
		if look != nil {
			look(s, whole.Early(s))
		}
		return whole.Over(s)
	})
}

// Snapshot is what is known now. A SLURM that has not answered is a failure by then.
func (w *Watch) Snapshot() *cluster.Snapshot { return source.LastLook(w.Store, w.began) }

// Each calls see with a Snapshot every so often, until no more Events will come, or see returns false.
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
