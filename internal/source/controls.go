package source

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/queue"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// If there is no Touch for IdleAfter, nodes are polled IdleFactor times less often until the next Touch: nobody looks
// at most such screens. A Leave slows down the nodes at once.
const (
	IdleAfter  = 30 * time.Minute
	IdleFactor = 10
)

// Controls receives the user's requests. Only Ask, Cancel, Log, Accounts, Cluster and Waiting may
// block.
type Controls interface {
	Touch()   // the user pressed a key
	Leave()   // nobody sees the screen until the next Touch
	Refresh() // asks SLURM and retries failed nodes now
	// the node on the screen and whether its processes are shown; "" is no node, cluster.EveryNode all
	Look(node string, processes bool)
	ListJobs(shown bool) // whether the list of jobs is on the screen: if so, SLURM is asked more often

	// Ask sends a request to the probe of a node and waits for the reply.
	Ask(ctx context.Context, node string, r wire.Request) (wire.Reply, error)

	// Cancel makes SLURM end a job or send it a signal, and waits until SLURM has accepted the order. signal is a name
	// such as "USR1"; "" ends the job.
	Cancel(ctx context.Context, job, signal string) error

	// Log reads a piece of the log of a job.
	Log(ctx context.Context, q joblog.Query) (joblog.Piece, error)

	// Accounts asks SLURM's accounting about a job, or the parts of one.
	Accounts(ctx context.Context, job string) ([]sacct.Job, error)

	// Cluster returns the GPUs that SLURM can give to jobs. It decides how often SLURM is asked; fresh says that the
	// user wants a new answer.
	Cluster(ctx context.Context, fresh bool) (*capacity.Cluster, error)

	// Waiting asks SLURM why a job waits, and when it would start with less. Soon after an answer, it returns the same
	// answer again.
	Waiting(ctx context.Context, job string) (*queue.Wait, error)
}
