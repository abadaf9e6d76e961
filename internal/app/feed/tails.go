package feed

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/source"
)

const (
	// lateTails is how much longer an output waits for the ends of logs than for the nodes.
	lateTails = 500 * time.Millisecond
	// mostTails is the maximum number of logs that are read at a time.
	mostTails = 4
)

// logTails reads once how far the programs of jobs are, while the nodes send their reports.
type logTails struct {
	from  Feed
	w     *source.Watch
	ctx   context.Context
	turns chan struct{}
	asked []string // IDs of the jobs whose logs are being read, or were
	wait  sync.WaitGroup
}

// readTails begins to read the ends of the logs of jobs. A node may have to read the log, so each job's first node must
// have reported, or all says that none will.
func (t *logTails) readTails(s *cluster.Snapshot, all bool) {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.ID == "" || j.Suspended || j.Progress != nil || slices.Contains(t.asked, j.ID) ||
			!all && (len(j.Nodes) == 0 || tally.Pending(s.Nodes[j.Nodes[0]])) {
			continue
		}
		t.asked = append(t.asked, j.ID)
		t.wait.Add(1)
		crash.Go(func() {
			defer t.wait.Done()
			select {
			case t.turns <- struct{}{}:
				defer func() { <-t.turns }()
			case <-t.ctx.Done():
				return
			}
			if p := source.ReadProgress(t.ctx, t.from.Log, j.Job); p.IsKnown() {
				t.w.Tell(cluster.Event{At: time.Now(), Progress: &p})
			}
		})
	}
}

// awaitTails waits for what is being read, but not for long.
func (t *logTails) awaitTails() {
	done := make(chan struct{})
	crash.Go(func() {
		t.wait.Wait()
		close(done)
	})
	select {
	case <-done:
	case <-time.After(lateTails):
	}
}
