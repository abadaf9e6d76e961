// Package vacancy decides which GPUs are free, used, or used by an unknown user, and chooses among the free GPUs. It
// also counts the GPUs that SLURM has allocated. Its texts and JSON documents have the formats of nvgpu, nvisel and
// gpustat.
//
// Everything here is a function of its arguments: it reads no clock and keeps no state. Functions may be called
// concurrently.
package vacancy

import (
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// State says whether somebody uses a GPU.
type State int

// States of a GPU.
const (
	Free    State = iota
	Used          // by a process with a known user
	Unknown       // by an unknown user: a process without a known user, or memory without a process
	Out           // nobody can use it, or its use is unknown
)

// Mark returns the state in nvgpu's notation, which has none for Out.
func (s State) Mark() string {
	return [...]string{Free: "[ ]", Used: "[~]", Unknown: "[!]", Out: "[x]"}[s]
}

// DefaultMemory is how much of its memory a free GPU may have in use, in percent: the desktop needs some.
const DefaultMemory = 20

// GPU is a GPU that programs can use as a whole, or a MIG instance.
type GPU struct {
	*cluster.GPU
	// as in nvidia-smi and CUDA_VISIBLE_DEVICES, within the probe's cgroup; "3:1" for a MIG instance
	Index     string
	State     State
	Listed    bool            // Processes are known
	Processes []*wire.Process // compute processes, by PID
}

// Node is a node with its GPUs. It has none if it does not report.
type Node struct {
	*cluster.Node
	GPUs []GPU
}

// Host returns the name that the node gives itself, or else the name by which it was reached.
func (n *Node) Host() string {
	if n.Hello != nil && n.Hello.Host != "" {
		return n.Hello.Host
	}
	return n.Name
}

// Nodes returns the nodes of all jobs of a Snapshot, in order. They have all their GPUs, or with own only those of the
// jobs.
func Nodes(s *cluster.Snapshot, own bool) []Node {
	var nodes []Node
	at := map[string]int{}
	for i := range s.Jobs {
		job := &s.Jobs[i]
		for _, name := range job.Nodes {
			n := tally.Node(s, name)
			if _, seen := at[name]; !seen {
				at[name] = len(nodes)
				nodes = append(nodes, Node{Node: n, GPUs: gpusOf(n)})
			}
		}
	}
	if own {
		for i := range nodes {
			n := &nodes[i]
			n.GPUs = slices.DeleteFunc(n.GPUs, func(g GPU) bool { return !tally.IsOwned(s, n.Node, g.GPU) })
		}
	}
	return nodes
}

// gpusOf returns the GPUs of a node that reports, in the order of nvidia-smi. A GPU in MIG mode is replaced by its
// instances.
func gpusOf(n *cluster.Node) []GPU {
	if !tally.HasNumbers(n) {
		return nil
	}
	index := map[string]int{} // of GPUs by UUID
	split := map[string]bool{}
	for _, g := range tally.All(n) {
		if g.Instance() {
			split[g.Card.Instance.Parent] = true
		} else {
			index[g.Card.UUID] = g.Card.Index
		}
	}
	var out []GPU
	for _, g := range tally.All(n) {
		if g.Card.UUID != "" && split[g.Card.UUID] {
			continue
		}
		v := GPU{GPU: g, Index: strconv.Itoa(g.Card.Index), Listed: n.Listed && g.Unlisted == "",
			Processes: computeProcesses(n, g)}
		if i := g.Card.Instance; i != nil {
			v.Index = strconv.Itoa(index[i.Parent]) + ":" + strconv.Itoa(i.Index)
		}
		v.State = v.decideState()
		out = append(out, v)
	}
	return out
}

// computeProcesses returns the processes on a GPU that do more than draw.
func computeProcesses(n *cluster.Node, g *cluster.GPU) []*wire.Process {
	var out []*wire.Process
	for i := range n.Processes {
		if p := &n.Processes[i]; p.GPU == g.Index && p.Type != "G" {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b *wire.Process) int { return a.PID - b.PID })
	return out
}

func (g *GPU) decideState() State {
	percent, known := cluster.Percent(g.memoryUse())
	switch {
	case tally.Lost(g.GPU) != "" || g.Hung() || g.Card.MIG && !g.Instance():
		return Out
	case slices.ContainsFunc(g.Processes, func(p *wire.Process) bool { return p.User != "" }):
		return Used
	case len(g.Processes) > 0 || known && percent > DefaultMemory:
		return Unknown
	case !known && !g.Listed:
		return Out
	}
	return Free
}

// memoryUse returns the used and the total memory in bytes; NaN: unknown.
func (g *GPU) memoryUse() (used, total float64) {
	return g.Float(metric.MemoryUsed), g.Float(metric.MemoryTotal)
}
