package source

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Hosts watches hosts that were named by hand. They are shown as the nodes of one job that has no id; no SLURM is asked.
type Hosts struct {
	job        cluster.Job
	user, host string
	nodes      *poller.Manager
}

// NewHosts makes the source for names, which were typed as list, for user on host. Hosts is the manager's only user.
func NewHosts(list string, names []string, nodes *poller.Manager, user, host string) *Hosts {
	job := cluster.Job{Name: list, User: user, Nodes: names}
	job.Nodes = nodesOf([]cluster.Job{job}) // each once
	return &Hosts{job: job, user: user, host: host, nodes: nodes}
}

// Run emits Events until ctx ends.
func (h *Hosts) Run(ctx context.Context, emit func(cluster.Event)) error {
	now := time.Now()
	emit(cluster.Event{At: now, Discovery: &cluster.Discovery{User: h.user, Host: h.host, Answered: now, Jobs: []cluster.Job{h.job}}})
	h.nodes.SetNodes(h.job.Nodes)
	h.nodes.Run(ctx, emit)
	return nil
}

// Touch says that somebody pressed a key. Nothing depends on it here.
func (h *Hosts) Touch() {}

// Refresh tries the hosts that wait for their next attempt now.
func (h *Hosts) Refresh() { h.nodes.Retry() }

// Look says whether processes are wanted, and of which host; cluster.EveryNode is all of them.
func (h *Hosts) Look(node string, processes bool) { look(h.nodes, node, processes) }

// Ask asks the probe of a node for something and waits for its answer.
func (h *Hosts) Ask(ctx context.Context, node string, r wire.Request) (wire.Reply, error) {
	return h.nodes.Ask(ctx, node, r)
}
