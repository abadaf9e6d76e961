// Package source makes the Events that everything on screen comes from.
//
// Live is the real cluster: a discoverer asks SLURM which jobs run, a poller watches their nodes. Hosts watches nodes that were named
// by hand.
//
// Each is a cluster.Source, and has the methods by which a person at a screen tells it what is wanted: Touch (somebody is there),
// Refresh (ask now, try now), and the poller's Look (list the processes of a node) and Ask (ask the probe of a node for something, and
// wait for its answer). They may be called from any goroutine, also before Run; only Ask blocks.
package source

import (
	"context"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
)

// Live is the real cluster: the person's running jobs, as SLURM knows them, and the nodes of those jobs. A node that several jobs share
// is watched once; the nodes of a job that ended are let go.
type Live struct {
	*poller.Manager
	discoverer *discoverer

	mu       sync.Mutex      // protects the following
	streamed map[string]bool // nodes whose session has brought a report
}

// NewLive makes the source for user on host, from where SLURM is asked with client. Live is the client's and the manager's only user.
func NewLive(client *slurm.Client, nodes *poller.Manager, user, host string) *Live {
	return &Live{discoverer: newDiscoverer(client, user, host), Manager: nodes, streamed: map[string]bool{}}
}

// Run emits Events until ctx ends. It returns slurm.ErrNoSlurm at once when there is no SLURM here.
func (l *Live) Run(ctx context.Context, emit func(cluster.Event)) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		l.Manager.Run(ctx, func(e cluster.Event) {
			emit(e)
			l.noteLoss(e)
		})
	})
	return l.discoverer.run(ctx, func(d cluster.Discovery) {
		emit(cluster.Event{At: time.Now(), Discovery: &d})
		l.SetNodes(nodesOf(d.Jobs))
	})
}

// noteLoss asks SLURM anew when a node that streamed is lost: its job may have ended.
func (l *Live) noteLoss(e cluster.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case e.Report != nil:
		l.streamed[e.Node] = true
	case e.Down != nil && l.streamed[e.Node]:
		l.discoverer.lost.Ring()
		delete(l.streamed, e.Node)
	case e.Gone:
		delete(l.streamed, e.Node)
	}
}

// nodesOf are the nodes of jobs, each once.
func nodesOf(jobs []cluster.Job) []string {
	var nodes []string
	seen := map[string]bool{}
	for i := range jobs {
		for _, node := range jobs[i].Nodes {
			if !seen[node] {
				seen[node] = true
				nodes = append(nodes, node)
			}
		}
	}
	return nodes
}

// Touch says that somebody pressed a key.
func (l *Live) Touch() { l.discoverer.touch() }

// Refresh asks SLURM, and tries the nodes that wait for their next attempt, now.
func (l *Live) Refresh() {
	l.discoverer.refresh.Ring()
	l.Retry()
}
