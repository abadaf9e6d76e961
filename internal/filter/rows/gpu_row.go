package rows

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/tally"
)

// GPU is a GPU of a node as a filter.Subject. It has ProcessFields: its own, and those of each process on it, so that a
// filter of processes leaves the GPUs on which they are.
type GPU struct {
	Snapshot *cluster.Snapshot
	Node     *cluster.Node
	Findings []*cluster.Finding // of the node, those that hold

	gpu *cluster.GPU
}

// Of is that GPU.
func (r *GPU) Of(g **cluster.GPU) filter.Subject {
	r.gpu = *g
	return r
}

// Values implements filter.Subject.
func (r *GPU) Values(key filter.Key, to []filter.Value) []filter.Value {
	switch key {
	case filter.Node:
		return word(to, r.Node.Name)
	case filter.Problem, filter.Letter, filter.Severity:
		for _, f := range r.Findings {
			if f.Of(r.gpu) {
				to = finding(to, key, f)
			}
		}
		return to
	}
	r.processes(func(p *Process) {
		if key == filter.Rank && p.Rank != nil {
			to = number(to, float64(p.Rank.Rank))
		}
		if key == filter.Job {
			to = word(to, p.job())
			return
		}
		to = ofProcess(to, key, p.Process)
	})
	return gpuValues(to, key, r.Node, []*cluster.GPU{r.gpu})
}

// processes calls do for each process on the GPU. One that is missing has the index of none.
func (r *GPU) processes(do func(*Process)) {
	for i := range r.Node.Processes {
		if p := &r.Node.Processes[i]; p.GPU == r.gpu.Index && !tally.Absent(r.gpu) {
			do(&Process{Snapshot: r.Snapshot, Node: r.Node, Process: p, Rank: p.Rank})
		}
	}
}

// Texts implements filter.Subject: the names of its problems, and what processes on it are found by.
func (r *GPU) Texts(to []string) []string {
	to = append(to, r.Node.Name)
	for _, f := range r.Findings {
		if f.Of(r.gpu) {
			to = append(to, say.LabelOf(f).One)
		}
	}
	r.processes(func(p *Process) { to = p.Texts(to) })
	return to
}
