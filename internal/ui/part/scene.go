// Package part holds the parts of the screens: the Scene that they show, the Frame that they draw on, cells, and the
// marks of problems. Package header draws the rows above them, and package footer the keys below.
//
// Everything here draws and changes only the canvas and its memory: the same Scene always gives the same picture.
// Positions depend on the size of the terminal alone, never on values. A Frame and its Scene belong to one goroutine at
// a time.
package part

import (
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
)

// Scene is the input of a screen: a Snapshot, the selection, and the settings of all screens.
type Scene struct {
	Snap   *cluster.Snapshot
	Job    *cluster.JobView // the selected job; nil: there is none
	JobAt  int              // its place in Snap.Jobs
	Node   *cluster.Node    // the selected node; nil: there is none
	NodeAt int              // its place in Job.Nodes
	Order  []string         // the job's selectable nodes, in the order on the screen
	Health Health

	Size
	Mine bool // GPUs of other jobs are hidden
	Look
	ASCII     bool // only ASCII glyphs: arrow keys are written in letters
	MouseFree bool // the terminal has the mouse, so that the user can select text
	Printed   bool // there is no keyboard, so no keys are named

	Only     tally.Only   // the GPUs to show in the views of the nodes
	Matching *filter.Expr // the processes to show in the views of nodes and GPUs

	Gauge tally.Gauge // the metric of the overview's cells

	Opening   string // what the screen waits for before its first Snapshot; "": it has one
	Display   time.Duration
	Replay    bool   // the screen shows a recording
	Recording string // state of the running recording; "": none runs
	Out       string // where Esc leads, for the footer; "": nowhere
	LooksBack bool   // the keys that look back have an effect here
	NoSignal  string // why the process under the cursor takes no signal; "": it does, or no page has said
	NoCancel  string // why the job of that process cannot be canceled; "": likewise
	NoPast    string // why there is no earlier Snapshot to look back at; "": there is one
	Ago       string // how old the Snapshot is that the user looks back at; "": it is the newest
	Slow      int    // an idle screen polls and redraws this many times less often; 0, 1: it is not idle
	Banner    string // the admins' message, for the palette
	HelpURL   string // the address of the admins' help, for the palette

	// for each job, the line of its log that explains its failure best; empty unless the user has opened a log
	Cites map[string]joblog.Cite

	Login string   // the host between this one and all nodes, [user@]host[:port]; "": none
	Ways  []string // the ways of notification that can be tried
	// the reason why signals and cancels are forbidden: "--readonly", "the setting readonly in FILE"; "": they are
	// allowed
	ReadOnly string

	// a question has been on the screen for a while, and no key was pressed meanwhile (nav.Answer)
	Still bool

	Notice   string // shown in place of the footer
	OtherJob bool   // a key has just changed the job
	Version  string
	Memory   *Memory
}

// Memory keeps short names, and results for a Snapshot, from frame to frame. No frame depends on its content.
type Memory struct {
	snapshot snapshotCache
	facts    jobCache

	nodes   []string // the nodes with these names
	byRoom  map[int]*draw.Naming
	clipped map[int]map[string]int // by width: the number of nodes with each clipped name

	Footer  Buttons
	Targets Targets
}

// resetForNodes empties the memory if it belongs to other nodes.
func (m *Memory) resetForNodes(nodes []string) *Memory {
	if !slices.Equal(m.nodes, nodes) || m.byRoom == nil {
		*m = Memory{snapshot: m.snapshot, facts: m.facts, Footer: m.Footer, Targets: m.Targets, nodes: nodes,
			byRoom: map[int]*draw.Naming{}, clipped: map[int]map[string]int{}}
	}
	return m
}

// SetJob selects the job at a place of the Snapshot's list.
func (s *Scene) SetJob(at int) {
	s.Job, s.JobAt = &s.Snap.Jobs[at], at
	s.Order = s.Job.Nodes
	s.Health = NewHealth(s.Snap, s.Job)
}

// SetNode selects the node at a place of the job's list.
func (s *Scene) SetNode(at int) {
	s.Node, s.NodeAt = s.NodeOf(s.Job.Nodes[at]), at
}

// Recall fills in the missing numbers of the selected node from its past, for pages about one node.
func (s *Scene) Recall() { s.Node = s.Node.AsSeen() }

// NodeOf returns the node with that name.
func (s *Scene) NodeOf(name string) *cluster.Node { return tally.Node(s.Snap, name) }

// Forbidden says, for the footer, why nobody may send signals or cancel jobs; "": both are allowed.
func (s *Scene) Forbidden() string {
	if s.ReadOnly == "" {
		return ""
	}
	return "signals and scancel are off: " + s.ReadOnly
}

// Own returns the job's GPUs on a node.
func (s *Scene) Own(n *cluster.Node) []*cluster.GPU { return tally.Own(s.Job, n) }

// GPUs returns the GPUs of a node to show and their MIG instances, including missing GPUs that are allocated to the
// job.
func (s *Scene) GPUs(n *cluster.Node) []*cluster.GPU {
	gpus := tally.All(n)
	if s.Mine {
		gpus = slices.DeleteFunc(gpus, func(g *cluster.GPU) bool { return !s.Job.Owns(n, g) })
	}
	return slices.DeleteFunc(tally.WithAbsent(s.Job, n, gpus), func(g *cluster.GPU) bool { return !s.Only.Shows(g) })
}

// Processes returns the processes of a node to show, and their number without the filter.
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

// Say puts a finding into words, with how often it has begun, and the line of the job's log that explains it, if known.
func (s *Scene) Say(f *cluster.Finding) say.Words {
	words := say.Finding(s.Snap, f)
	if words.Sentence != "" {
		words.Sentence += say.Times(f)
	}
	if c, known := s.Cites[f.Job]; known && say.Citable(f.Kind) && f.Since.Sub(c.When) < stale {
		words.Hint = strings.TrimSuffix("log: "+draw.Clip(c.Text, mostCited)+"\n"+words.Hint, "\n")
	}
	return words
}

const (
	// stale is the age from which a line of the log no longer explains a new finding.
	stale = 10 * time.Minute
	// mostCited is the maximum length of a cited line, in columns.
	mostCited = 160
)

// Naming shortens the names of the job's nodes to room columns each.
func (s *Scene) Naming(room int) *draw.Naming {
	m := s.Memory.resetForNodes(s.Job.Nodes)
	n := m.byRoom[room]
	if n == nil {
		n = draw.NewNaming(s.Job.Nodes, room)
		m.byRoom[room] = n
	}
	return n
}

// NodeName shortens the name of one of the job's nodes to w columns: with "…" in the middle if no other node then has
// the same name, otherwise as Naming does.
func (s *Scene) NodeName(name string, w int) string {
	if draw.Width(name) <= w {
		return name
	}
	clipped := draw.ClipMiddle(name, w)
	if s.Memory.resetForNodes(s.Job.Nodes).countClipped(w)[clipped] > 1 {
		return s.Naming(w).Of(name)
	}
	return clipped
}

// countClipped counts the nodes with each name clipped to w columns.
func (m *Memory) countClipped(w int) map[string]int {
	if m.clipped[w] == nil {
		counts := make(map[string]int, len(m.nodes))
		for _, name := range m.nodes {
			counts[draw.ClipMiddle(name, w)]++
		}
		m.clipped[w] = counts
	}
	return m.clipped[w]
}
