package rows

import (
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
)

// GPU is a row about a GPU of a node. It has the fields of Processes: its own values, and those of each process on it.
// So a filter for processes keeps the GPUs of the matching processes.
type GPU struct {
	Snapshot *cluster.Snapshot
	Node     *cluster.Node
	Findings []*cluster.Finding // present findings of the node

	gpu *cluster.GPU
}

// GPUs are the fields of a GPU of a node.
var GPUs = field.Table[GPU]{Name: "GPUs", Words: (*GPU).appendWords,
	Fields: field.Each(Processes.Fields, (*GPU).splitProcesses)}

// Of sets the row to that GPU.
func (r *GPU) Of(g **cluster.GPU) *GPU {
	r.gpu = *g
	return r
}

// splitProcesses returns the GPU as a row without a process, and each process on it as a row without the GPU. A missing
// GPU gets an index that no process has.
func (r *GPU) splitProcesses() []*Process {
	parts := []*Process{{Snapshot: r.Snapshot, Node: r.Node, GPU: r.gpu, Number: r.gpu.Number, Findings: r.Findings}}
	for i := range r.Node.Processes {
		if p := &r.Node.Processes[i]; p.GPU == r.gpu.Index && !tally.Absent(r.gpu) {
			parts = append(parts, &Process{Snapshot: r.Snapshot, Node: r.Node, Process: p, Number: cluster.NoNumber,
				Rank: p.Rank})
		}
	}
	return parts
}

// appendWords appends the names of its problems, and the words of the processes on it.
func (r *GPU) appendWords(to []string) []string {
	to = append(to, r.Node.Name)
	for _, f := range r.Findings {
		if f.Of(r.gpu) {
			to = append(to, say.LabelOf(f).One)
		}
	}
	for _, p := range r.splitProcesses()[1:] {
		to = p.appendWords(to)
	}
	return to
}
