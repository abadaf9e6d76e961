package tally

import (
	"cmp"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Target is a process that the user may act on: the probe of its node can find it again.
type Target struct {
	Node string
	wire.ProcessID
	GPUs    []int // displayed numbers of its GPUs
	User    string
	Command string // its name, if the command line is not known
	Rank    *wire.Rank
	Job     string // see JobOf
	Mine    bool   // it belongs to the owner of the jobs
	// user ID of another user who owns it, if root may signal it, on the host of nvnodetop itself; nil: nobody may
	Owner *int
}

// Refusal returns the reason why the process cannot be signaled, "" if it can. The node checks the owner again.
func (t *Target) Refusal() string {
	switch {
	case t.StartTicks == 0:
		return "not in /proc of the node: it cannot be told from another process"
	case t.Mine, t.Owner != nil:
		return ""
	case t.User == "":
		return "belongs to an unknown user"
	}
	return "belongs to " + t.User
}

// WhyNoSignal says why neither the process nor any other of its job can be signaled; "": one can.
func (t *Target) WhyNoSignal(s *cluster.Snapshot) string {
	why := t.Refusal()
	if why == "" || t.Mine && s.JobWith(t.Job) != nil {
		return ""
	}
	return "process " + strconv.Itoa(t.PID) + " " + why
}

// Targets returns the processes of a job on all of its nodes, each once.
func Targets(s *cluster.Snapshot, job *cluster.JobView) []Target {
	var list []Target
	for _, name := range job.Nodes {
		list = append(list, targetsOnNode(s, job, Node(s, name))...)
	}
	return list
}

// TargetOf returns the Target of one process of a node.
func TargetOf(s *cluster.Snapshot, n *cluster.Node, p *wire.Process) Target {
	t := targetOf(s, n, p)
	for i := range n.Processes {
		if q := &n.Processes[i]; idOfProcess(q) == t.ProcessID {
			t.addGPU(n, q)
		}
	}
	return t
}

// targetsOnNode returns the processes of a job on a node. A process on several GPUs is listed on each.
func targetsOnNode(s *cluster.Snapshot, job *cluster.JobView, n *cluster.Node) (list []Target) {
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

// targetOf returns a process as a Target without its GPUs.
func targetOf(s *cluster.Snapshot, n *cluster.Node, p *wire.Process) Target {
	t := Target{Node: n.Name, ProcessID: idOfProcess(p), User: p.User, Command: cmp.Or(p.Command, p.Name),
		Rank: p.Rank, Job: JobOf(s, p), Mine: Mine(s, p)}
	t.setOwner(n, p.UID)
	return t
}

// setOwner fills in the owner of a process that root may signal. The user must have a name, since the question names
// the owner.
func (t *Target) setOwner(n *cluster.Node, uid *int) {
	if !t.Mine && t.User != "" && n.Route.Door == reach.DoorHere && n.Hello != nil && n.Hello.Root {
		t.Owner = uid
	}
}

// JobOf returns the ID of the job of a process, as squeue prints it, or SLURM's number for a job of another user; "":
// unknown.
func JobOf(s *cluster.Snapshot, p *wire.Process) string {
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Number != "" && j.Number == p.Job {
			return j.ID
		}
	}
	return p.Job
}

// addGPU adds a GPU that lists the process.
func (t *Target) addGPU(n *cluster.Node, p *wire.Process) {
	if g := n.GPUAt(p.GPU); g != nil && g.Number != cluster.NoNumber {
		t.GPUs = append(t.GPUs, g.Number)
	}
}

// Mine reports whether a process belongs to the user. A node that does not know the name of a user gives the number;
// then the facts that /proc shows only for the user's own processes decide.
func Mine(s *cluster.Snapshot, p *wire.Process) bool {
	if p.UID != nil && p.User == strconv.Itoa(*p.UID) {
		return p.Directory != ""
	}
	return p.User != "" && p.User == s.Discovery.User
}
