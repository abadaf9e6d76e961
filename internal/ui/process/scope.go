package process

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/header"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/ui/table"
)

// Scope is the set of processes to show.
type Scope uint8

// The scopes. Each is wider than the one before.
const (
	OfGPU   Scope = iota // a GPU of the selected node
	OfNode               // the selected node
	OfJob                // the selected job
	OfJobs               // all jobs
	OfNodes              // the nodes of all jobs, including the processes of others there
)

// scoping is the chosen scope. It draws the scope's GPUs or nodes above the processes.
type scoping struct {
	chosen Scope
	gpu    string // the key of the GPU if the scope is, or was, one
}

// effectiveScope returns the chosen scope as far as the scene allows it: a GPU is on one node only, and without SLURM
// there are no jobs.
func (x *scoping) effectiveScope(s *part.Scene) Scope {
	if x.chosen == OfGPU && s.Node.GPUWith(x.gpu) == nil {
		return OfNode
	}
	return min(x.chosen, widestScope(s))
}

// widenScope chooses the next wider scope.
func (x *scoping) widenScope(s *part.Scene) {
	x.chosen = min(x.effectiveScope(s)+1, widestScope(s))
	if x.chosen == OfJobs && len(s.Snap.Jobs) == 1 { // same as the scope before it
		x.chosen = OfNodes
	}
}

// widestScope returns the widest scope. Without SLURM, all processes of the nodes belong to the single job.
func widestScope(s *part.Scene) Scope {
	if s.Job.ID == "" {
		return OfJob
	}
	return OfNodes
}

// narrowToRow chooses the job, the node or the GPU of a row. It reports whether there is a narrower scope.
func (x *scoping) narrowToRow(s *part.Scene, r *table.ProcessRow) bool {
	at := x.effectiveScope(s)
	if at == OfGPU || at == OfNode && r.On == nil {
		return false
	}
	if at == OfNode {
		x.gpu = r.On.Key
	}
	switch x.chosen = at - 1; {
	case at == OfNodes && r.Job == "": // a process of others, not on a GPU of the jobs
		x.chosen = OfNode
	case at == OfNodes && len(s.Snap.Jobs) == 1:
		x.chosen = OfJob
	}
	return true
}

// jobOf returns the job of a row. If the row has none, it returns a job on the row's node: the selected one, if that is
// there.
func jobOf(s *part.Scene, r *table.ProcessRow) string {
	has := func(j *cluster.JobView) bool { return slices.Contains(j.Nodes, r.Node.Name) }
	if r.Job != "" || has(s.Job) {
		return cmp.Or(r.Job, s.Job.ID)
	}
	for i := range s.Snap.Jobs {
		if j := &s.Snap.Jobs[i]; has(j) {
			return j.ID
		}
	}
	return ""
}

// scopeWants asks for the processes of the selected node, or of all nodes.
func (x *scoping) scopeWants() nav.Wants {
	if x.chosen >= OfJob {
		return nav.Wants{Everywhere: true}
	}
	return nav.Wants{Selected: true, Processes: true}
}

// scopeName names the scope: "gpu-n02 GPU3", "job 48211".
func (x *scoping) scopeName(s *part.Scene) string {
	switch x.effectiveScope(s) {
	case OfGPU:
		return s.Node.Name + " " + part.GPUNumber(s.Node.GPUWith(x.gpu))
	case OfNode:
		return s.Node.Name
	case OfJobs:
		return "your " + part.Plural(len(s.Snap.Jobs), "job", "jobs")
	case OfNodes:
		return "all nodes of your " + part.Plural(len(s.Snap.Jobs), "job", "jobs")
	}
	if s.Job.ID == "" {
		return part.Plural(len(s.Job.Nodes), "node", "nodes")
	}
	return "job " + s.Job.ID
}

// whyEmpty says why no processes are listed.
func (x *scoping) whyEmpty(f *part.Frame) (string, draw.Role) {
	switch scope := x.effectiveScope(f.Scene); {
	case scope == OfNodes:
		return "no GPU processes on these nodes", draw.Dim
	case scope == OfJobs:
		return "no processes on the GPUs of your jobs", draw.Dim
	case scope == OfJob:
		return part.NoProcessesOfJob(f), draw.Dim
	case !tally.HasNumbers(f.Node):
		return header.AbsenceText(f, f.Node, f.W-3), f.Health.NodeMark(f.Node.Name).Role
	case scope == OfGPU:
		return part.NoProcessesOn(f, f.Node.GPUWith(x.gpu)), draw.Dim
	}
	return part.NoProcesses(f), draw.Dim
}

// drawAbove draws the GPUs of the scope, or its nodes.
func (x *scoping) drawAbove(f *part.Frame, r rooms) {
	if r.above == 0 {
		return
	}
	y := firstRow + 1
	switch x.effectiveScope(f.Scene) {
	case OfGPU:
		header.Tabs(f)
		t := table.NewGPUs(f)
		t.Head(f, y)
		t.Row(f, y+1, f.Node.GPUWith(x.gpu))
	case OfNode:
		header.Tabs(f)
		t := table.NewGPUs(f)
		t.Head(f, y)
		t.Rows(f, y+1, 0, r.above)
	case OfJob:
		right := ""
		if r.above < r.all {
			right = strconv.Itoa(r.above) + " of " + strconv.Itoa(r.all) + ", worst first"
		}
		f.Section(firstRow, "Nodes", right)
		t := table.NewNodes(f)
		t.Head(f, y)
		for i, name := range worstNodes(f.Scene, r.above) {
			t.Row(f, y+1+i, f.NodeOf(name), false)
		}
	}
}

// countRowsAbove returns the number of GPUs or nodes that a scope can show above its processes.
func countRowsAbove(s *part.Scene, scope Scope) int {
	switch scope {
	case OfGPU:
		return 1
	case OfNode:
		return len(s.GPUs(s.Node))
	case OfJob:
		return len(s.Job.Nodes)
	}
	return 0
}

// worstNodes returns n nodes of the job to show, in the job's order. If there are more nodes, it chooses those with the
// worst problems.
func worstNodes(s *part.Scene, n int) []string {
	nodes := slices.Clone(s.Job.Nodes)
	if n < len(nodes) {
		slices.SortStableFunc(nodes, func(a, b string) int { return s.Health.Rank(b) - s.Health.Rank(a) })
	}
	return nodes[:n]
}

// nodesOf returns the nodes of a scope.
func nodesOf(s *part.Scene, scope Scope) []*cluster.Node {
	if scope <= OfNode {
		return []*cluster.Node{s.Node}
	}
	var nodes []*cluster.Node
	seen := map[string]bool{}
	for i := range s.Snap.Jobs {
		if j := &s.Snap.Jobs[i]; scope >= OfJobs || j == s.Job {
			for _, name := range j.Nodes {
				if !seen[name] {
					seen[name] = true
					nodes = append(nodes, s.NodeOf(name))
				}
			}
		}
	}
	return nodes
}
