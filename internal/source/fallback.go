package source

import (
	"context"
	"errors"
	"sync"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/queue"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Fallback is the source of the user's jobs, or of other nodes if there turns out to be no SLURM. Only SLURM's first
// answer shows that, when outputs are already running. They continue with the other nodes, and notice nothing.
type Fallback struct {
	without func(context.Context) (*Hosts, error)

	mu   sync.Mutex // protects the following
	from liveSource
	look *lookArguments // the last call of Look; nil: none
	left bool           // the user is away
}

// liveSource is Live or Hosts.
type liveSource interface {
	cluster.Source
	Controls
}

// lookArguments has the arguments of Look.
type lookArguments struct {
	node      string
	processes bool
}

// NewFallback returns the source for the jobs of live. Without SLURM it continues with the nodes that without returns,
// or ends with the error of without.
func NewFallback(live *Live, without func(context.Context) (*Hosts, error)) *Fallback {
	return &Fallback{from: live, without: without}
}

// Run emits Events until ctx ends.
func (f *Fallback) Run(ctx context.Context, emit func(cluster.Event)) error {
	err := f.currentOrigin().Run(ctx, emit)
	if !errors.Is(err, command.ErrNoSlurm) {
		return err
	}
	hosts, err := f.without(ctx)
	switch {
	case hasEnded(ctx):
		return nil
	case err != nil:
		return err
	}
	f.change(hosts)
	return hosts.Run(ctx, emit)
}

func (f *Fallback) currentOrigin() liveSource {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.from
}

// change switches to another source, and tells it where the user looks.
func (f *Fallback) change(to liveSource) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.from = to
	if f.look != nil {
		to.Look(f.look.node, f.look.processes)
	}
	if f.left {
		to.Leave()
	} else {
		to.Touch()
	}
}

// Look lists the processes of a node.
func (f *Fallback) Look(node string, processes bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.look = &lookArguments{node, processes}
	f.from.Look(node, processes)
}

// ListJobs notes whether the list of jobs is on the screen.
func (f *Fallback) ListJobs(shown bool) { f.currentOrigin().ListJobs(shown) }

// Touch notes that a key was pressed.
func (f *Fallback) Touch() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = false
	f.from.Touch()
}

// Leave notes that the user has gone, until the next Touch.
func (f *Fallback) Leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = true
	f.from.Leave()
}

// Refresh asks SLURM and retries failed nodes now.
func (f *Fallback) Refresh() { f.currentOrigin().Refresh() }

// Ask sends a request to the probe of a node and waits for its reply.
func (f *Fallback) Ask(ctx context.Context, node string, r wire.Request) (wire.Reply, error) {
	return f.currentOrigin().Ask(ctx, node, r)
}

// Cancel ends a job, or sends it a signal.
func (f *Fallback) Cancel(ctx context.Context, job, signal string) error {
	return f.currentOrigin().Cancel(ctx, job, signal)
}

// Log reads a piece of a job's log.
func (f *Fallback) Log(ctx context.Context, q joblog.Query) (joblog.Piece, error) {
	return f.currentOrigin().Log(ctx, q)
}

// Accounts asks SLURM's accounting about a job.
func (f *Fallback) Accounts(ctx context.Context, job string) ([]sacct.Job, error) {
	return f.currentOrigin().Accounts(ctx, job)
}

// KeepsRuns names the file of what is kept of jobs, as Live does.
func (f *Fallback) KeepsRuns() (path, user string) {
	if live, is := f.currentOrigin().(*Live); is {
		return live.KeepsRuns()
	}
	return "", ""
}

// Waiting asks SLURM why a job waits.
func (f *Fallback) Waiting(ctx context.Context, job string) (*queue.Wait, error) {
	return f.currentOrigin().Waiting(ctx, job)
}

// Cluster returns the GPUs of the cluster.
func (f *Fallback) Cluster(ctx context.Context, fresh bool) (*capacity.Cluster, error) {
	return f.currentOrigin().Cluster(ctx, fresh)
}
