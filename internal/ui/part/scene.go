// Package part holds the parts of the screens: the Scene that they show, the Frame that they draw on, footer, cells,
// and the marks of what is wrong. Package header has what is above them, package problem the sentences.
//
// Everything here draws and changes only the canvas and its memory: the same Scene always gives the same picture.
// Positions depend on the size of the terminal alone, never on values. A Frame and its Scene belong to one goroutine at
// a time.
package part

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/columns"
	"github.com/nvnodetop/nvnodetop/internal/filter"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/draw"
)

// Scene is the input of a screen: a Snapshot, the selection, and the settings of all screens.
type Scene struct {
	Snap   *cluster.Snapshot
	Job    *cluster.JobView // the selected one; nil: there is none
	JobAt  int              // its place in Snap.Jobs
	Node   *cluster.Node    // the selected one; nil: there is none
	NodeAt int              // its place in Job.Nodes
	Order  []string         // the job's nodes that can be selected, as they are shown
	Health Health

	W, H int  // size of the terminal
	Mine bool // GPUs of other jobs are hidden
	Colors
	ASCII     bool // there are ASCII glyphs only: keys are named in letters
	MouseFree bool // the terminal has the mouse, to select text
	Printed   bool // there is no keyboard: no key is named

	Only     tally.Only     // the GPUs in the views of the nodes: others are hidden
	Matching *filter.Expr   // the processes in the views of nodes and GPUs: others are hidden
	Columns  columns.Chosen // of the tables; empty: the usual ones

	Gauge tally.Gauge // what the cells of the overview show

	Display   time.Duration
	Replay    bool   // a recording is shown
	Recording string // of the recording that runs; "": none does
	Slow      int    // the screen is idle: polls and redraws are so many times less frequent; 0, 1: it is not
	Banner    string // of the admins, for the help

	Login string // the host through which all nodes are reached, [user@]host[:port]; "": none is
	// why no process may be signaled and no job canceled: "--readonly", "the setting readonly in FILE"; "": they may
	ReadOnly string

	// what asks the user something has been on the screen for a while, and no key was pressed meanwhile: see nav.Answer
	Still bool

	Notice  string // stands in place of the footer
	Version string
	Memory  *Memory
}

// Memory caches short names, and what is worked out once per Snapshot, between frames. No frame depends on its content.
type Memory struct {
	snapshot known
	facts    facts

	nodes   []string // the nodes that the names are for
	byRoom  map[int]*Naming
	clipped map[int]map[string]int // by width: how many nodes share each clipped name
}

// of empties the memory if it is about other nodes.
func (m *Memory) of(nodes []string) *Memory {
	if !slices.Equal(m.nodes, nodes) || m.byRoom == nil {
		*m = Memory{snapshot: m.snapshot, facts: m.facts, nodes: nodes, byRoom: map[int]*Naming{},
			clipped: map[int]map[string]int{}}
	}
	return m
}

// Tall is the height from which blank lines separate the sections.
const Tall = 30

// Small is the height below which there is room for rows 0 and 1 and the GPUs only.
const Small = 10

// SetJob makes the job at that place of the Snapshot's list the selected one.
func (s *Scene) SetJob(at int) {
	s.Job, s.JobAt = &s.Snap.Jobs[at], at
	s.Order = s.Job.Nodes
	s.Health = NewHealth(s.Snap, s.Job)
}

// SetNode makes the node at that place of the job's list the selected one.
func (s *Scene) SetNode(at int) {
	s.Node, s.NodeAt = s.NodeOf(s.Job.Nodes[at]), at
}

// Recall puts the past of the selected node in place of the numbers that it lacks: for pages about one node.
func (s *Scene) Recall() { s.Node = s.Node.AsSeen() }

// NodeOf is the node of that name.
func (s *Scene) NodeOf(name string) *cluster.Node { return tally.Node(s.Snap, name) }

// Forbidden says, for the footer, why nobody may send signals or cancel jobs; "": the user may.
func (s *Scene) Forbidden() string {
	if s.ReadOnly == "" {
		return ""
	}
	return "signals and scancel are off: " + s.ReadOnly
}

// Own are those GPUs of a node that are the job's.
func (s *Scene) Own(n *cluster.Node) []*cluster.GPU { return tally.Own(s.Job, n) }

// GPUs returns the GPUs of a node to show and their MIG instances, including GPUs allocated to the job that are
// missing.
func (s *Scene) GPUs(n *cluster.Node) []*cluster.GPU {
	gpus := tally.All(n)
	if s.Mine {
		gpus = slices.DeleteFunc(gpus, func(g *cluster.GPU) bool { return !s.Job.Owns(n, g) })
	}
	return slices.DeleteFunc(tally.WithAbsent(s.Job, n, gpus), func(g *cluster.GPU) bool { return !s.Only.Shows(g) })
}

// Processes are those of the processes of a node that are to be shown, and how many would be without the filter.
func (s *Scene) Processes(n *cluster.Node, list []tally.Process) (shown []tally.Process, of int) {
	list = slices.DeleteFunc(list, func(p tally.Process) bool { return p.On != nil && !s.Only.Shows(p.On) })
	r := rows.Process{Findings: s.Health.ByNode[n.Name]}
	return filter.Keep(s.Matching, &rows.Processes, list,
		func(p *tally.Process) *rows.Process { return r.Set(s.Snap, n, p) }), len(list)
}

// GPUName names a GPU of the job: "gpu-n02 GPU3".
func (s *Scene) GPUName(g *cluster.GPU) string {
	return tally.NodeOf(s.Snap, s.Job, g) + " " + GPUNumber(g)
}

// Say puts a finding into words.
func (s *Scene) Say(f *cluster.Finding) say.Words { return say.Finding(s.Snap, f) }

// Naming shortens the names of the job's nodes to room columns each.
func (s *Scene) Naming(room int) *Naming {
	m := s.Memory.of(s.Job.Nodes)
	n := m.byRoom[room]
	if n == nil {
		n = NewNaming(s.Job.Nodes, room)
		m.byRoom[room] = n
	}
	return n
}

// NodeName shortens the name of one of the job's nodes to w columns: with "…" in the middle if no other node then has
// the same name, else as Naming does.
func (s *Scene) NodeName(name string, w int) string {
	if draw.Width(name) <= w {
		return name
	}
	clipped := draw.ClipMiddle(name, w)
	if s.sharing(w)[clipped] > 1 {
		return s.Naming(w).Of(name)
	}
	return clipped
}

// sharing counts the nodes for each name clipped to w columns.
func (s *Scene) sharing(w int) map[string]int {
	m := s.Memory.of(s.Job.Nodes)
	if m.clipped[w] == nil {
		counts := make(map[string]int, len(s.Job.Nodes))
		for _, name := range s.Job.Nodes {
			counts[draw.ClipMiddle(name, w)]++
		}
		m.clipped[w] = counts
	}
	return m.clipped[w]
}
