package export

import (
	"io"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// Part is the document with less content. The same names have the same meaning. A list of GPUs has only the metrics by
// which GPUs are compared; the part of a node or of a GPU has all metrics.
type Part struct{ document }

// Write writes a part without spaces, with the revision of the state that it shows.
func (p *Part) Write(w io.Writer, revision uint64) error {
	p.Revision = revision
	return text.WriteJSON(w, "", p.Snapshot)
}

var (
	inLists = contents{false, func(*cluster.GPU) bool { return false }}
	onGPUs  = contents{false, everything.processes}
)

// Whole is the whole document.
func Whole(s *cluster.Snapshot) *Part { return &Part{document{Document(s)}} }

// Jobs is the part with all jobs, including waiting and ended jobs.
func Jobs(s *cluster.Snapshot) *Part {
	p := Problems(s)
	p.addQueue(s)
	return p
}

// Problems is the part with the problems of the jobs that have nodes.
func Problems(s *cluster.Snapshot) *Part {
	p := &Part{newHead(s)}
	p.addAllJobs(s, false)
	return p
}

// NoID stands for the ID of a job without one.
const NoID = "-"

// Job is the part about one job, with its nodes; nil: there is none.
func Job(s *cluster.Snapshot, id string) *Part {
	if id == NoID {
		id = ""
	}
	job := s.JobWith(id)
	if job == nil {
		return nil
	}
	p := &Part{newHead(s)}
	p.addJobs(s, true, func(j *cluster.JobView) bool { return j == job })
	p.addNodes(s, inLists, func(name string) bool { return slices.Contains(job.Nodes, name) })
	return p
}

// Nodes is the part with all nodes, and their jobs.
func Nodes(s *cluster.Snapshot) *Part {
	p := Problems(s)
	p.addNodes(s, inLists, func(string) bool { return true })
	return p
}

// Processes is the part with all processes.
func Processes(s *cluster.Snapshot) *Part {
	p := &Part{newHead(s)}
	p.addNodes(s, onGPUs, func(string) bool { return true })
	return p
}

// Node is the part about one node, with all of its data, and its jobs; nil: there is no such node.
func Node(s *cluster.Snapshot, name string) *Part { return aboutNode(s, name, everything) }

func aboutNode(s *cluster.Snapshot, name string, c contents) *Part {
	p := &Part{newHead(s)}
	p.addJobs(s, false, func(j *cluster.JobView) bool { return slices.Contains(j.Nodes, name) })
	if len(p.Jobs) == 0 {
		return nil
	}
	p.addNodes(s, c, func(n string) bool { return n == name })
	return p
}

// GPU is the part about one GPU, named by its UUID, its number or its key, with its history; nil: there is no such GPU.
// For a failed node it shows the past. It also has the other GPUs of the node.
func GPU(s *cluster.Snapshot, node, name string) *Part {
	n := tally.Node(s, node).AsSeen()
	if !tally.Shows(n) {
		return nil
	}
	gpu := n.GPUWith(name)
	if gpu == nil {
		at := slices.IndexFunc(n.GPUs, func(g cluster.GPU) bool { return !g.Instance() && strconv.Itoa(g.Number) == name })
		if at < 0 {
			return nil
		}
		gpu = &n.GPUs[at]
	}
	p := aboutNode(s, node, contents{true, func(g *cluster.GPU) bool { return g == gpu }})
	if p != nil {
		p.History = newHistory(s, gpu)
	}
	return p
}
