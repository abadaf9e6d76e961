package tally

import (
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Target is a process that the user may act on: one that the probe of its node can find again.
type Target struct {
	Node string
	wire.ProcessID
	GPUs    []int // numbers of those that it is on, as displayed
	User    string
	Command string // its name, if the command line is not known
	Rank    *wire.Rank
	Job     string // JobOf it
	Mine    bool   // of the user whose jobs these are
}

// Refusal is why the process cannot be signaled, "" if it can. The node checks the owner again.
func (t *Target) Refusal() string {
	switch {
	case t.StartTicks == 0:
		return "not in /proc of the node: it cannot be told from another process"
	case t.Mine:
		return ""
	case t.User == "":
		return "belongs to an unknown user"
	}
	return "belongs to " + t.User
}

// Targets are the processes of a job on all of its nodes, each once.
func Targets(s *cluster.Snapshot, job *cluster.JobView) []Target {
	var list []Target
	for _, name := range job.Nodes {
		list = append(list, targets(s, job, Node(s, name))...)
	}
	return list
}

// TargetOf is the Target of one process of a node.
func TargetOf(s *cluster.Snapshot, n *cluster.Node, p *wire.Process) Target {
	t := targetOf(s, n, p)
	for i := range n.Processes {
		if q := &n.Processes[i]; idOfProcess(q) == t.ProcessID {
			t.addGPU(n, q)
		}
	}
	return t
}

// targets are the processes of a job on a node. A process on several GPUs is listed on each.
func targets(s *cluster.Snapshot, job *cluster.JobView, n *cluster.Node) (list []Target) {
	at := map[wire.ProcessID]int{}
	for i := range n.Processes {
		p := &n.Processes[i]
		if !job.Runs(n, p) {
			continue
		}
		id := idOfProcess(p)
		if _, known := at[id]; !known {
			at[id] = len(list)
			list = append(list, targetOf(s, n, p))
		}
		list[at[id]].addGPU(n, p)
	}
	return list
}

func idOfProcess(p *wire.Process) wire.ProcessID {
	return wire.ProcessID{PID: p.PID, StartTicks: p.StartTicks}
}

// targetOf is a process as a Target, without its GPUs.
func targetOf(s *cluster.Snapshot, n *cluster.Node, p *wire.Process) Target {
	t := Target{Node: n.Name, ProcessID: idOfProcess(p), User: p.User, Command: p.Command, Rank: p.Rank,
		Job: JobOf(s, p), Mine: Mine(s, p)}
	if t.Command == "" {
		t.Command = p.Name
	}
	return t
}

// JobOf is the ID of the job of a process, as squeue prints it, or SLURM's number if it is none of the user's jobs; "":
// not known.
func JobOf(s *cluster.Snapshot, p *wire.Process) string {
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Number != "" && j.Number == p.Job {
			return j.ID
		}
	}
	return p.Job
}

// addGPU adds the GPU on which the process is listed.
func (t *Target) addGPU(n *cluster.Node, p *wire.Process) {
	for i := range n.GPUs {
		if n.GPUs[i].Index == p.GPU && n.GPUs[i].Number != cluster.NoNumber {
			t.GPUs = append(t.GPUs, n.GPUs[i].Number)
		}
	}
}

// Mine reports whether a process is one of the user's. A node that does not know the name of a user gives the number;
// then what /proc shows of one's own processes only tells.
func Mine(s *cluster.Snapshot, p *wire.Process) bool {
	if p.UID != nil && p.User == strconv.Itoa(*p.UID) {
		return p.Directory != ""
	}
	return p.User != "" && p.User == s.Discovery.User
}
