package source

import (
	"context"
	"errors"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/poller"
)

// Hosts watches the hosts of --nodes. They are shown as the nodes of one job without an id; SLURM is not asked.
type Hosts struct {
	*poller.Manager
	job        cluster.Job
	user, host string
}

// NewHosts returns the source for names, the expanded form of list, for user on host. Nothing else may use nodes.
func NewHosts(list string, names []string, nodes *poller.Manager, user, host string) *Hosts {
	job := cluster.Job{Name: list, User: user, Nodes: names}
	job.Nodes = nodesOf([]cluster.Job{job}) // each once
	return &Hosts{job: job, user: user, host: host, Manager: nodes}
}

// Run emits Events until ctx ends.
func (h *Hosts) Run(ctx context.Context, emit func(cluster.Event)) error {
	now := time.Now()
	emit(cluster.Event{At: now, Discovery: &cluster.Discovery{User: h.user, Host: h.host, Answered: now,
		Jobs: []cluster.Job{h.job}}})
	h.SetNodes(h.job.Nodes)
	h.Manager.Run(ctx, emit)
	return nil
}

// Refresh retries failed hosts now.
func (h *Hosts) Refresh() { h.Retry() }

// Cancel fails, since hosts are no job.
func (h *Hosts) Cancel(context.Context, string, string) error {
	return errors.New("these hosts are no job of SLURM's: there is nothing to cancel")
}

// Log fails likewise.
func (h *Hosts) Log(context.Context, joblog.Query) (joblog.Piece, error) {
	return joblog.Piece{}, errors.New("these hosts are no job of SLURM's: they have no log")
}
