package source

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/poller"
)

// Hosts watches hosts that were named by hand. They are shown as the nodes of one job that has no id; no SLURM is asked.
type Hosts struct {
	*poller.Manager
	job        cluster.Job
	user, host string
}

// NewHosts makes the source for names, which were typed as list, for user on host. Hosts is the manager's only user.
func NewHosts(list string, names []string, nodes *poller.Manager, user, host string) *Hosts {
	job := cluster.Job{Name: list, User: user, Nodes: names}
	job.Nodes = nodesOf([]cluster.Job{job}) // each once
	return &Hosts{job: job, user: user, host: host, Manager: nodes}
}

// Run emits Events until ctx ends.
func (h *Hosts) Run(ctx context.Context, emit func(cluster.Event)) error {
	now := time.Now()
	emit(cluster.Event{At: now, Discovery: &cluster.Discovery{User: h.user, Host: h.host, Answered: now, Jobs: []cluster.Job{h.job}}})
	h.SetNodes(h.job.Nodes)
	h.Manager.Run(ctx, emit)
	return nil
}

// Touch says that somebody pressed a key. Nothing depends on it here.
func (h *Hosts) Touch() {}

// Refresh tries the hosts that wait for their next attempt now.
func (h *Hosts) Refresh() { h.Retry() }
