package part

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// Health holds the findings of a job; ByNode holds the present ones.
type Health struct {
	snapshot *cluster.Snapshot
	findings []cluster.Finding
	placed   []cluster.Finding // the findings, with one more for each place for which the job waits
	silent   bool              // a finding explains why all nodes are silent
	ByNode   map[string][]*cluster.Finding
}

// NewHealth sorts the findings of a job. That the job stands still is also a finding about the places for which it
// waits.
func NewHealth(s *cluster.Snapshot, job *cluster.JobView) Health {
	h := Health{snapshot: s, findings: job.Findings, placed: placeFindings(s, job.Findings),
		ByNode: make(map[string][]*cluster.Finding)}
	for i := range h.placed {
		if f := &h.placed[i]; f.Holds() {
			h.silent = h.silent || f.Kind == cluster.KindSilence
			h.ByNode[f.Node] = append(h.ByNode[f.Node], f)
		}
	}
	return h
}

// placeFindings adds the places for which the job waits to its findings, and keeps their order: those that hold first,
// and the worst first.
func placeFindings(s *cluster.Snapshot, findings []cluster.Finding) []cluster.Finding {
	var awaited []cluster.Finding
	for i := range findings {
		awaited = append(awaited, tally.AwaitedPlaces(s, &findings[i])...)
	}
	if awaited == nil {
		return findings
	}
	placed := slices.Concat(awaited, findings)
	slices.SortStableFunc(placed, func(a, b cluster.Finding) int {
		if a.Holds() != b.Holds() {
			return map[bool]int{true: -1, false: 1}[a.Holds()]
		}
		return cmp.Compare(b.Severity, a.Severity)
	})
	return placed
}

// Mark shows a severity on the screen: a glyph, and the role for it and its subject.
type Mark struct {
	Glyph string
	Role  draw.Role
}

// Marks are the marks of the severities.
var Marks = map[cluster.Severity]Mark{
	cluster.Critical: {"✗", draw.Crit}, cluster.Warning: {"▲", draw.Warn}, cluster.Waiting: {"◌", draw.Dim},
	cluster.Note: {"·", draw.Dim},
}

// NodeMark returns the mark of a node; the zero mark if nothing is wrong.
func (h Health) NodeMark(node string) Mark {
	if s := h.Rank(node); s > int(cluster.Note) {
		return Marks[cluster.Severity(s)]
	}
	return Mark{Role: draw.Text}
}

// Silent reports whether all nodes fell silent at once. Then only their last reports are available.
func (h Health) Silent() bool { return h.silent }

// Rank orders nodes by how bad they are. The state of a node counts even without a finding, unless one finding covers
// all nodes.
func (h Health) Rank(node string) int {
	rank := int(h.Reach(node))
	for _, f := range h.ByNode[node] {
		rank = max(rank, int(f.Severity))
	}
	return rank
}

// Reach says how bad the connection to a node is.
func (h Health) Reach(node string) cluster.Severity {
	severity := cluster.Note
	if n := h.snapshot.Nodes[node]; n != nil {
		switch n.State {
		case cluster.NodeFailed:
			severity = cluster.Critical
		case cluster.NodeStale:
			severity = cluster.Warning
		case cluster.NodeConnecting:
			severity = cluster.Waiting
		}
		if h.silent {
			severity = min(severity, cluster.Waiting)
		}
	}
	return severity
}

// OfGPU returns the findings of one GPU, worst first.
func (h Health) OfGPU(node string, g *cluster.GPU) []*cluster.Finding {
	var found []*cluster.Finding
	for _, f := range h.ByNode[node] {
		if f.Of(g) {
			found = append(found, f)
		}
	}
	return found
}

// GPUMark returns the mark of a GPU; the zero mark if nothing is wrong.
func (h Health) GPUMark(node string, g *cluster.GPU) Mark {
	if rank := h.GPURank(node, g); rank > int(cluster.Note) {
		return Marks[cluster.Severity(rank)]
	}
	return Mark{Role: draw.Text}
}

// GPURank orders the GPUs of a node by how bad they are.
func (h Health) GPURank(node string, g *cluster.GPU) int {
	if tally.Absent(g) {
		return int(cluster.Critical)
	}
	if findings := h.OfGPU(node, g); len(findings) > 0 {
		return int(findings[0].Severity)
	}
	return -1
}

// SlowRole is the role for the numbers of a process that explain why its GPU is slow; plain unless the GPU lags or is
// idle.
func (h Health) SlowRole(node string, g *cluster.GPU, plain draw.Role) draw.Role {
	if g == nil {
		return plain
	}
	for _, finding := range h.OfGPU(node, g) {
		if finding.Kind == cluster.KindLag || finding.Kind == cluster.KindIdle {
			return draw.Warn
		}
	}
	return plain
}

// Listed returns the findings of a node, or for "" of all nodes, including those that ended a moment ago. A first
// attempt to connect is no problem, and is not in the list.
func (h Health) Listed(node string) []cluster.Finding {
	list := h.findings
	if node != "" {
		list = h.placed
	}
	return slices.DeleteFunc(slices.Clone(list), func(f cluster.Finding) bool {
		return f.Severity == cluster.Waiting || node != "" && f.Node != node
	})
}

// Over is the key in BySeverity for findings that are over.
const Over cluster.Severity = -1

// BySeverity counts findings by severity.
func BySeverity(findings []cluster.Finding) map[cluster.Severity]int {
	counts := map[cluster.Severity]int{}
	for i := range findings {
		if f := &findings[i]; f.Holds() {
			counts[f.Severity]++
		} else {
			counts[Over]++
		}
	}
	return counts
}

// MoreKey follows a count of problems that do not fit: it names the digit of the page that has all of them.
var MoreKey = ": press " + keys.Name(keys.ToProblems)

// Counted says how many findings are present and how many are cleared: "5 problems, 1 cleared".
func Counted(findings []cluster.Finding, one, many string) string {
	cleared := BySeverity(findings)[Over]
	text := Plural(len(findings)-cleared, one, many)
	switch cleared {
	case 0:
		return text
	case len(findings):
		return strconv.Itoa(cleared) + " cleared"
	}
	return text + ", " + strconv.Itoa(cleared) + " cleared"
}

// MarkOf returns the mark of a finding; it is quiet if the finding is over.
func MarkOf(f *cluster.Finding) Mark {
	m := Marks[f.Severity]
	if !f.Holds() {
		m.Role = draw.Dim
	}
	return m
}

// Since is the age of a finding after sep: " 4m", or " >4m" if it began before nvnodetop first looked.
func Since(f *cluster.Finding, now time.Time, sep string) string {
	if f.Since.IsZero() {
		return ""
	}
	if f.Before {
		sep += ">"
	}
	return sep + draw.Age(now.Sub(f.Since))
}
