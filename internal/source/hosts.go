package source

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/queue"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
)

// Hosts watches the hosts of --nodes. They are shown as the nodes of one job without an id; SLURM is asked only by
// Cluster.
type Hosts struct {
	*poller.Manager
	job        cluster.Job
	user, host string

	Commands command.Runner // SLURM's; nil: it is not asked. It must not change once Run is called
	Floor    time.Duration  // as in Live
	Pace     time.Duration  // likewise

	counter counter
	key     atomic.Int64 // nanoseconds of the last key; 0: the user has gone
}

// NewHosts returns the source for names, which are list in expanded form, for user on host. Nothing else may use nodes.
func NewHosts(list string, names []string, nodes *poller.Manager, user, host string) *Hosts {
	job := cluster.Job{Name: list, User: user, Nodes: names}
	job.Nodes = nodesOf([]cluster.Job{job}) // each once
	h := &Hosts{job: job, user: user, host: host, Manager: nodes}
	h.counter = counter{step: h.runSupplyCommand, floor: func() time.Duration { return h.Floor },
		pace: func() time.Duration {
			return (&schedule{own: h.Pace}).questionInterval(time.Since(time.Unix(0, h.key.Load())))
		}}
	return h
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

// Touch notes that a key was pressed.
func (h *Hosts) Touch() {
	h.key.Store(time.Now().UnixNano())
	h.Manager.Touch()
}

// ListJobs does nothing: SLURM lists no jobs.
func (h *Hosts) ListJobs(bool) {}

// Leave notes that the user has gone, until the next Touch.
func (h *Hosts) Leave() {
	h.key.Store(0)
	h.Manager.Leave()
}

// Cluster returns the GPUs of the cluster, as Live does.
func (h *Hosts) Cluster(ctx context.Context, fresh bool) (*capacity.Cluster, error) {
	if h.Commands == nil {
		return nil, command.ErrNoSlurm
	}
	return h.counter.askCapacity(ctx, fresh)
}

// runSupplyCommand runs a command of a question, and lets the controller rest for as long as it took.
func (h *Hosts) runSupplyCommand(ctx context.Context, q *capacity.SupplyQuestion) (*capacity.Supply, error) {
	began := time.Now()
	got, err := q.Step(ctx, h.Commands)
	if got == nil && err == nil {
		rest := time.NewTimer(time.Since(began))
		defer rest.Stop()
		select {
		case <-rest.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return got, err
}

// Refresh retries failed hosts now.
func (h *Hosts) Refresh() { h.Retry() }

// Cancel fails, since hosts are not a job.
func (h *Hosts) Cancel(context.Context, string, string) error {
	return errors.New("these hosts are no job of SLURM's: there is nothing to cancel")
}

// Waiting fails likewise.
func (h *Hosts) Waiting(context.Context, string) (*queue.Wait, error) {
	return nil, errors.New("these hosts are no job of SLURM's: none waits")
}

// Log fails likewise.
func (h *Hosts) Log(context.Context, joblog.Query) (joblog.Piece, error) {
	return joblog.Piece{}, errors.New("these hosts are not a job of SLURM: they have no log")
}

// Accounts fails likewise.
func (h *Hosts) Accounts(context.Context, string) ([]sacct.Job, error) {
	return nil, errors.New("these hosts are not a job of SLURM: it has counted nothing")
}
