package tally

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Node returns the node with that name. A node without an entry has not been tried yet.
func Node(s *cluster.Snapshot, name string) *cluster.Node {
	if n := s.Nodes[name]; n != nil {
		return n
	}
	return &cluster.Node{Name: name, State: cluster.NodeConnecting}
}

// HasNumbers reports whether a node has numbers to show, even old ones.
func HasNumbers(n *cluster.Node) bool {
	return n.State == cluster.NodeReporting || n.State == cluster.NodeStale
}

// Shows reports whether a node, as cluster.Node.AsSeen returns it, has numbers to show: current ones, old ones, or its
// past.
func Shows(n *cluster.Node) bool { return HasNumbers(n) || n.Past != nil }

// Old reports whether the shown numbers of a node are old.
func Old(n *cluster.Node) bool { return Shows(n) && n.State != cluster.NodeReporting }

// Lost returns NVML's message about a lost GPU; "" if the GPU is not lost.
func Lost(g *cluster.GPU) string { return cmp.Or(g.Lost, g.Card.Lost) }

// Own returns the job's GPUs on a node. MIG instances are not among them: the numbers of their GPU include them.
func Own(job *cluster.JobView, n *cluster.Node) []*cluster.GPU {
	return AppendOwn(make([]*cluster.GPU, 0, len(n.GPUs)), job, n)
}

// AppendOwn appends the job's GPUs on a node to a list.
func AppendOwn(to []*cluster.GPU, job *cluster.JobView, n *cluster.Node) []*cluster.GPU {
	share, whole := job.Share(n), n.OnlyGPUs()
	for i := range n.GPUs {
		if g := &n.GPUs[i]; share.Has(&g.Number) && (whole || !g.Instance()) {
			to = append(to, g)
		}
	}
	return to
}

// All returns the GPUs of a node and their MIG instances, of all owners.
func All(n *cluster.Node) []*cluster.GPU {
	gpus := make([]*cluster.GPU, len(n.GPUs))
	for i := range n.GPUs {
		gpus[i] = &n.GPUs[i]
	}
	return gpus
}

// hasCurrentNumbers reports whether the numbers of a node are current.
func hasCurrentNumbers(n *cluster.Node) bool { return n.State == cluster.NodeReporting }

// Fresh returns the job's GPUs on nodes that report.
func Fresh(s *cluster.Snapshot, job *cluster.JobView) []*cluster.GPU {
	return ownOn(s, job, hasCurrentNumbers)
}

// Known returns the job's GPUs on nodes with numbers, even old ones.
func Known(s *cluster.Snapshot, job *cluster.JobView) []*cluster.GPU {
	return ownOn(s, job, HasNumbers)
}

func ownOn(s *cluster.Snapshot, job *cluster.JobView, has func(*cluster.Node) bool) []*cluster.GPU {
	gpus := make([]*cluster.GPU, 0, job.GPUs)
	for _, name := range job.Nodes {
		if n := Node(s, name); has(n) {
			gpus = AppendOwn(gpus, job, n)
		}
	}
	return gpus
}

// Each yields the GPUs of Fresh with their nodes, or those of Known if old numbers count too.
func Each(s *cluster.Snapshot, job *cluster.JobView, old bool) iter.Seq2[*cluster.Node, *cluster.GPU] {
	has := hasCurrentNumbers
	if old {
		has = HasNumbers
	}
	return func(yield func(*cluster.Node, *cluster.GPU) bool) {
		for _, name := range job.Nodes {
			n := Node(s, name)
			if !has(n) {
				continue
			}
			for _, g := range Own(job, n) {
				if !yield(n, g) {
					return
				}
			}
		}
	}
}

// NodeOf returns the name of the job's node with this GPU, "" if there is none.
func NodeOf(s *cluster.Snapshot, job *cluster.JobView, g *cluster.GPU) string {
	for _, name := range job.Nodes {
		for n, i := Node(s, name).AsSeen(), 0; i < len(n.GPUs); i++ {
			if &n.GPUs[i] == g {
				return name
			}
		}
	}
	return ""
}

// Owner is the user and job of a GPU that is not the selected job's. Job is empty if only the user is known; the zero
// Owner is unknown.
type Owner struct{ User, Job string }

// OwnerOf finds the owner of a GPU of node n: from SLURM's list of jobs, otherwise from the processes on it.
func OwnerOf(s *cluster.Snapshot, job *cluster.JobView, n *cluster.Node, g *cluster.GPU) Owner {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if count, _ := j.GPUsOn(n.Name); count == 0 || j.ID == job.ID {
			continue
		}
		if share := j.Share(n); share.Known && share.Has(&g.Number) {
			return Owner{j.User, j.ID}
		}
	}
	for i := range n.Processes {
		if p := &n.Processes[i]; p.GPU == g.Index && p.User != "" {
			return Owner{p.User, p.Job}
		}
	}
	return Owner{}
}

// NumberText is the number of a GPU on the screen, "3:1" for a MIG instance; without a number it is the key.
func NumberText(g *cluster.GPU) string {
	switch {
	case g.Number == cluster.NoNumber:
		return g.Key
	case g.Instance():
		return strconv.Itoa(g.Number) + ":" + strconv.Itoa(g.Card.Instance.Index)
	}
	return strconv.Itoa(g.Number)
}

// ShortModel is a model without its maker's name. The profile of a MIG instance comes first: then a name that is cut
// short still tells the instances of a GPU apart.
func ShortModel(name string) string {
	name = strings.TrimPrefix(name, "NVIDIA ")
	if model, profile, isInstance := strings.Cut(name, " MIG "); isInstance {
		return profile + " " + model
	}
	return name
}

// Process is a process with its GPU and the number of the GPU. Own says that it is the job's.
type Process struct {
	*wire.Process
	On     *cluster.GPU // nil: not among the present GPUs of the node
	Number int
	Own    bool
}

// Processes returns the processes of a node by GPU, the job's first, and how many are the job's.
func Processes(job *cluster.JobView, n *cluster.Node) (list []Process, own int) {
	var others []Process
	for i := range n.Processes {
		p := Process{Process: &n.Processes[i], Number: n.Processes[i].GPU, Own: true}
		if g := n.GPUAt(p.GPU); g != nil {
			p.On, p.Number, p.Own = g, g.Number, job.Owns(n, g)
		}
		if p.Own {
			list = append(list, p)
		} else {
			others = append(others, p)
		}
	}
	order := func(a, b Process) int { return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.PID, b.PID)) }
	slices.SortStableFunc(list, order)
	slices.SortStableFunc(others, order)
	return append(list, others...), len(list)
}
