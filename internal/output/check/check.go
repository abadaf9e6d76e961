// Package check judges the nodes of a job before its program starts: what is wrong with them, in one line for each
// finding, and which nodes the next job should leave out.
//
// It takes the findings of package health from a Snapshot. It asks the same rules about the present moment too: a rule
// that waits before it speaks, as for a process that may be about to end, would come too late. And it compares the GPUs
// of a model across the nodes: in a job that works in step, the slowest of them sets the pace.
//
// Judge is a pure function of its input.
package check

import (
	"cmp"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/joblog/runs"
)

// Version is the version of the JSON document.
//
//	1  first version
const Version = 1

// Report is the result. Its JSON is documented by schema.json.
type Report struct {
	Version  int       `json:"version"`
	Program  string    `json:"nvnodetop"`
	Time     time.Time `json:"time"`
	Took     float64   `json:"took_seconds"`
	Jobs     []string  `json:"jobs"` // IDs
	Nodes    []string  `json:"nodes"`
	GPUs     int       `json:"gpus"`
	Findings []Finding `json:"findings"` // worst first
	Exclude  []string  `json:"exclude"`  // nodes that the next job should leave out
}

// Finding is something about a node, or about some of its GPUs.
type Finding struct {
	Severity string       `json:"severity"`
	Kind     cluster.Kind `json:"kind"`
	Node     string       `json:"node"`
	GPUs     []int        `json:"gpus,omitempty"` // numbers; empty: the node
	Text     string       `json:"text"`
	Hint     string       `json:"hint,omitempty"`

	severity cluster.Severity
	excludes bool // the node is better left out
}

// Kinds of findings that only this package makes.
const (
	// KindDiffers is a property of a GPU that differs from that of most GPUs of its model.
	KindDiffers cluster.Kind = "gpu_differs"
	// KindMemoryHeld is memory of a GPU that is in use though the driver lists no process.
	KindMemoryHeld cluster.Kind = "memory_held"
	// KindEarlier is a fault that the node had in an earlier job of the user.
	KindEarlier cluster.Kind = "earlier_fault"
)

// Judge judges the nodes of all jobs of a Snapshot, which took a while to collect. earlier are runs of the user's jobs.
func Judge(s *cluster.Snapshot, rules cluster.Rules, took time.Duration, earlier []runs.Run) *Report {
	r := &Report{Version: Version, Time: s.At, Took: took.Seconds(), Jobs: []string{}, Nodes: []string{},
		Findings: []Finding{}, Exclude: []string{}}
	gpus := map[string]int{}
	for i := range s.Jobs {
		job := &s.Jobs[i]
		e := examination{Snapshot: s, job: job, rules: rules, took: took, earlier: earlier}
		if job.ID != "" { // it is empty with nodes that the user named
			r.Jobs = append(r.Jobs, job.ID)
		}
		for _, name := range job.Nodes {
			if !slices.Contains(r.Nodes, name) {
				r.Nodes = append(r.Nodes, name)
			}
			gpus[name] += len(tally.Own(job, tally.Node(s, name)))
		}
		for _, found := range e.all() {
			r.add(&found)
		}
	}
	for _, count := range gpus {
		r.GPUs += count
	}
	r.finish()
	return r
}

// Found reports whether something needs a look: a note does not.
func (r *Report) Found() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.needsLook() })
}

func (f *Finding) needsLook() bool { return f.severity >= cluster.Warning }

// add joins findings: those about GPUs of a node that say the same become one; jobs that share a node share its
// findings.
func (r *Report) add(f *Finding) {
	for i := range r.Findings {
		o := &r.Findings[i]
		if o.Node != f.Node || o.Kind != f.Kind || o.severity != f.severity || o.Text != f.Text ||
			(len(o.GPUs) == 0) != (len(f.GPUs) == 0) {
			continue
		}
		for _, number := range f.GPUs {
			if !slices.Contains(o.GPUs, number) {
				o.GPUs = append(o.GPUs, number)
			}
		}
		return
	}
	r.Findings = append(r.Findings, *f)
}

// finish sorts the findings, and names the nodes that the next job should leave out.
func (r *Report) finish() {
	place := map[string]int{}
	for i, name := range r.Nodes {
		place[name] = i
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.severity, a.severity), cmp.Compare(place[a.Node], place[b.Node]))
	})
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Severity = f.severity.String()
		slices.Sort(f.GPUs)
	}
	for _, name := range r.Nodes {
		if slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Node == name && f.excludes }) {
			r.Exclude = append(r.Exclude, name)
		}
	}
}
