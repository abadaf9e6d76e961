package cluster

import (
	"slices"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Share describes which GPUs of a node are a job's.
type Share struct {
	// Known is false if nothing proves which GPUs are the job's. All count as its own then.
	Known bool

	all    bool
	minors []int
}

// Numbers are the numbers of the job's GPUs, including GPUs that the node does not list. Nil: all listed GPUs are the
// job's, or none are.
func (s Share) Numbers() []int { return s.minors }

// Has reports whether the GPU with this number is the job's. It reads the number only if needed: touching every GPU of
// a large cluster is slow.
func (s Share) Has(number *int) bool { return s.all || slices.Contains(s.minors, *number) }

// Share returns which GPUs of node n are the job's. SLURM gives indices into the node's list of GPUs in its
// configuration. They are minor numbers only if no GPU has MIG on and nothing that the node lists contradicts this.
// Otherwise the cgroup of the job may prove the share: it hides all other GPUs.
func (j *Job) Share(n *Node) Share {
	minors, told := j.Minors[n.Name]
	count, counted := len(minors), told
	if !told {
		count, counted = j.Counts[n.Name]
	}
	switch {
	case j.ID == "" && !told: // a node that the user named
		return Share{Known: true, all: true}
	case counted && count == 0:
		return Share{Known: true}
	case n.layout.mig:
	case told && j.mayBeMinors(n, minors):
		return Share{Known: true, minors: minors}
	case counted && j.ownsListedGPUs(n, count):
		return Share{Known: true, all: true}
	case j.Asking && counted && n.layout.gpus > count: // to count all GPUs would be more than the job has
		return Share{}
	}
	return Share{all: true}
}

// GPUsOn is the number of GPUs that SLURM allocated to the job on a node, if SLURM states it.
func (j *Job) GPUsOn(node string) (count int, known bool) {
	if minors, told := j.Minors[node]; told {
		return len(minors), true
	}
	count, known = j.Counts[node]
	return count, known
}

// Told reports whether SLURM has said everything that it can say about the job's GPUs on a node.
func (j *Job) Told(node string) bool {
	_, named := j.Minors[node]
	_, counted := j.Counts[node]
	_, configured := j.Configured[node]
	return named || counted && configured
}

// gpuLayout sums up the listed GPUs of a node for questions about their numbers. It is small: each Snapshot reads the
// layouts of all nodes.
type gpuLayout struct {
	gpus    int    // without instances
	highest int    // minor number; -1: none is known
	minors  uint64 // bitmask of those below 64
	mig     bool   // MIG is on, or may be
}

// LayOut computes the layout of the node's GPUs after a change.
func (n *Node) LayOut() { n.layout = layoutOf(n.GPUs) }

// OnlyGPUs reports whether the node is known to have no MIG instances. It reads no GPU: fetching every GPU of a large
// cluster takes long.
func (n *Node) OnlyGPUs() bool { return n.layout.gpus == len(n.GPUs) }

func layoutOf(gpus []GPU) gpuLayout {
	l := gpuLayout{highest: -1}
	for i := range gpus {
		c := gpus[i].Card
		l.mig = l.mig || mayHaveMIG(&gpus[i]) || c.Instance != nil
		if c.Instance != nil {
			continue
		}
		l.gpus++
		if c.Minor != nil {
			l.highest = max(l.highest, *c.Minor)
			if *c.Minor < 64 {
				l.minors |= 1 << *c.Minor
			}
		}
	}
	return l
}

// mayBeMinors reports whether SLURM's indices can be minor numbers. The node's minor numbers must be below the
// configured count. Where the node lists exactly the job's GPUs, they must equal the indices.
func (j *Job) mayBeMinors(n *Node, indices []int) bool {
	named := uint64(0)
	for _, i := range indices {
		if i < 64 {
			named |= 1 << i
		}
	}
	configured, known := j.Configured[n.Name]
	if known && (n.layout.highest >= configured || n.layout.gpus > configured || slices.Max(indices) >= configured) {
		return false
	}
	if j.inCgroup(n) && n.layout.gpus <= len(indices) {
		return n.layout.minors&^named == 0 && n.layout.highest < 64
	}
	return true
}

// ownsListedGPUs reports whether all GPUs that the node lists are the job's. They are if they are those of its cgroup,
// or if the job has all GPUs of the node.
func (j *Job) ownsListedGPUs(n *Node, count int) bool {
	if n.layout.gpus == 0 {
		return false
	}
	configured, known := j.Configured[n.Name]
	return j.inCgroup(n) && n.layout.gpus <= count || known && configured == count && n.layout.gpus == count
}

// inCgroup reports whether the node's probe is in a cgroup of the job.
func (j *Job) inCgroup(n *Node) bool {
	return n.Hello != nil && n.Hello.Job != "" && n.Hello.Job == j.Number
}

// OtherCgroup reports whether the node's probe is in the cgroup of another job, which hides some GPUs of the node.
func (j *Job) OtherCgroup(n *Node) bool {
	count, counted := j.GPUsOn(n.Name)
	if j.ID == "" || n.Hello == nil || len(n.GPUs) == 0 || n.Hello.Job == "" || n.Hello.Job == j.Number ||
		n.Hello.Fault != "" || counted && count == 0 {
		return false
	}
	if configured, known := j.Configured[n.Name]; known {
		return layoutOf(n.GPUs).gpus < configured
	}
	return slices.ContainsFunc(j.Minors[n.Name], func(minor int) bool { return !n.HasGPU(minor) })
}

// MayBeHidden reports whether GPUs of the job are missing from the node's list and may be hidden: the probe is in the
// cgroup of an unknown job.
func (j *Job) MayBeHidden(n *Node) bool {
	count, _ := j.GPUsOn(n.Name)
	return n.Hello != nil && n.Hello.SLUID != "" && n.Hello.Fault == "" && !n.AnyGPU(mayHaveMIG) && n.HasNumbers() &&
		(len(n.GPUs) < count || slices.ContainsFunc(j.Minors[n.Name], func(minor int) bool { return !n.HasGPU(minor) }))
}

// Strangers are the processes on the job's GPUs that belong to another job or another user. There are none if the job's
// GPUs are unknown. Processes of root, and processes that only draw, belong to the node and do not count.
func (j *Job) Strangers(n *Node) []*wire.Process {
	share := j.Share(n)
	if !share.Known || j.ID == "" {
		return nil
	}
	var out []*wire.Process
	for i := range n.Processes {
		p := &n.Processes[i]
		if g := n.GPUAt(p.GPU); g != nil && share.Has(&g.Number) && j.isOutsideJob(p) {
			out = append(out, p)
		}
	}
	return out
}

func (j *Job) isOutsideJob(p *wire.Process) bool {
	switch {
	case p.Type == "G", p.UID != nil && *p.UID == 0:
		return false
	case p.Job != "" && j.Number != "":
		return p.Job != j.Number
	}
	named := p.UID == nil || p.User != strconv.Itoa(*p.UID) // a node that does not know the name gives the number
	return named && p.User != "" && j.User != "" && p.User != j.User
}

// leftOverBytes is the GPU memory above which a process counts as left over. A context alone needs more.
const leftOverBytes = 15 << 20

// Runs reports whether a job with that number runs, even if Jobs leaves it out.
func (d *Discovery) Runs(number string) bool {
	return slices.Contains(d.Others, number) ||
		slices.ContainsFunc(d.Jobs, func(j Job) bool { return j.Number == number })
}

// Orphans are processes that hold GPU memory and belong to an ended job of the user whose jobs d lists. A job has ended
// if it does not run. A process that began after the list was made may belong to a newer job. An empty list of jobs is
// proof too.
func (n *Node) Orphans(d *Discovery) []*wire.Process {
	if d.User == "" || d.Answered.IsZero() {
		return nil
	}
	var out []*wire.Process
	for i := range n.Processes {
		p := &n.Processes[i]
		if p.User != d.User || p.Job == "" || p.GPUMemory == nil || *p.GPUMemory <= leftOverBytes ||
			p.ElapsedSec == nil {
			continue
		}
		began := n.ListedAt.Add(-min(max(time.Duration(*p.ElapsedSec), 0), MaxElapsed) * time.Second)
		if began.Before(d.Answered) && !d.Runs(p.Job) {
			out = append(out, p)
		}
	}
	return out
}
