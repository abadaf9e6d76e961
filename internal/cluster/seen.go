package cluster

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// SeenRank is the process with which a node last listed a rank of a job. A rank that has ended keeps its entry as long
// as the job is on the node. So an output knows which rank is gone, and where it was.
type SeenRank struct {
	wire.Rank
	Job    string // ID
	PID    int
	Start  uint64    // as wire.Process.StartTicks
	Key    string    // of its GPU
	Number int       // of its GPU
	Began  time.Time // start of its process, by the node's clock; if that is unknown, the time of its first listing
	Seen   time.Time // time of its last listing

	By Launch // the Launch that started it
}

// WorldOf is the number of ranks of a process's program, as the process states it; 0 if it states none.
func WorldOf(r *wire.Rank) int {
	if r.World == nil {
		return 0
	}
	return *r.World
}

// Runs reports whether a process on node n is the job's. If neither its cgroup nor its environment names a job, the
// owner of its GPU decides.
func (j *Job) Runs(n *Node, p *wire.Process) bool {
	if p.Job != "" && j.Number != "" {
		return p.Job == j.Number
	}
	g := n.GPUAt(p.GPU)
	return g != nil && j.Owns(n, g)
}

// GPUAt returns the GPU with this index, nil if there is none.
func (n *Node) GPUAt(index int) *GPU {
	for i := range n.GPUs {
		if n.GPUs[i].Index == index {
			return &n.GPUs[i]
		}
	}
	return nil
}

// MaxElapsed limits the run time that a process may state, in seconds.
const MaxElapsed = 10 * 365 * 24 * 3600

// ListsProcess reports whether a process is in the node's list. If a process is listed without a rank, it never had
// one.
func (n *Node) ListsProcess(pid int, start uint64) bool {
	for i := range n.Processes {
		if p := &n.Processes[i]; p.PID == pid && p.StartTicks == start {
			return true
		}
	}
	return false
}
