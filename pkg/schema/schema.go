// Package schema has the document that nvnodetop prints with --json as Go types: a Snapshot of jobs, nodes, GPUs and
// processes.
//
// An unknown value is absent: a nil pointer, an empty string, a zero time, or a key that Metrics lacks. The
// comment of a number without a pointer gives the meaning of 0. Names of numbers end in their unit. Strings that come
// from a node or from SLURM are safe to display: they have no control characters, and a limited length.
//
// The types encode to the document and decode from it, so a program may also read the output of the command. This
// package depends on no package that reaches a node.
//
// A Snapshot must not be changed: several may share parts. Any number of goroutines may read it.
package schema

import (
	"iter"
	"slices"
	"time"
)

// Version is the version of the document. The meaning of a field changes only with it. New fields may come without a
// new version.
//
//	1  first version
const Version = 1

// Snapshot is everything known at one moment.
type Snapshot struct {
	Version int `json:"version"` // see Version
	// only from nvnodetop serve: the number of this state, which grows as long as the server runs
	Revision    uint64     `json:"revision,omitempty"`
	Time        time.Time  `json:"time"`
	PollSeconds float64    `json:"poll_seconds"`        // interval between two reports of a node
	Discovery   *Discovery `json:"discovery,omitempty"` // nil where SLURM is not asked
	// running jobs, array tasks and components of heterogeneous jobs; nil only in a part from nvnodetop serve
	Jobs []Job `json:"jobs,omitzero"`
	// of all these jobs together; nil in a part of one job or node, and in documents of older versions
	Overall *Overall     `json:"overall,omitempty"`
	Pending []PendingJob `json:"pending,omitempty"`
	// jobs that are ending, or that ended within the last hour while the program ran; latest first
	Ended []EndedJob `json:"ended_jobs,omitempty"`
	// problems that cannot have been found yet; nil only in a part from nvnodetop serve, and from older versions
	NotChecked []NotChecked `json:"not_checked,omitzero"`
	// of all jobs, each node once; nil only in a part from nvnodetop serve
	Nodes   []Node   `json:"nodes,omitzero"`
	History *History `json:"history,omitempty"` // only from nvnodetop serve, in the part of a GPU
}

// Overall counts the nodes and GPUs of all jobs. A node or a GPU that several jobs share counts once, so the sum over
// the jobs may be larger.
type Overall struct {
	Nodes          int `json:"nodes"`
	NodesReporting int `json:"nodes_reporting"`
	GPUs           int `json:"gpus"`      // as far as known
	GPUsSeen       int `json:"gpus_seen"` // the part of GPUs that report: neither lost nor hung
}

// Node returns a node by its name; nil if no job has it.
func (s *Snapshot) Node(name string) *Node {
	i := slices.IndexFunc(s.Nodes, func(n Node) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Nodes[i]
}

// GPUs yields the GPUs of all nodes that have numbers, each with its node.
func (s *Snapshot) GPUs() iter.Seq2[*Node, *GPU] {
	return func(yield func(*Node, *GPU) bool) {
		for i := range s.Nodes {
			n := &s.Nodes[i]
			for k := range n.GPUs {
				if !yield(n, &n.GPUs[k]) {
					return
				}
			}
		}
	}
}

// NotChecked is a kind of problem that cannot have been found yet, because a node has not reported for long enough, or
// for another reason. If there is no such finding, that means nothing. If a kind is listed twice, or also has a
// finding, only a part of its problems is unchecked.
type NotChecked struct {
	Kind    string  `json:"kind"`              // as in Finding
	Reports int     `json:"reports,omitempty"` // number of reports needed to find it; 0: see Seconds
	Seconds float64 `json:"seconds,omitempty"` // how long the node must report before it can be found; 0: see Reports
	Why     string  `json:"why,omitempty"`     // another reason; then Reports and Seconds are 0
	Job     string  `json:"job,omitempty"`     // only for this job
}

// Discovery says how the jobs were found.
type Discovery struct {
	Command     string    `json:"command"` // the command that was run
	User        string    `json:"user,omitempty"`
	Host        string    `json:"host,omitempty"`    // where it was run
	Answered    time.Time `json:"answered,omitzero"` // the jobs are from this time
	TookSeconds float64   `json:"took_seconds"`      // duration of the last answer or failure
	Failure     *Failure  `json:"failure,omitempty"` // of the last question
	Note        string    `json:"note,omitempty"`    // about the clusters that were asked, if the user names several
}

// Failure says why a node, or SLURM, does not answer.
type Failure struct {
	Class   string   `json:"class"`             // stable: programs may match on it
	Stage   string   `json:"stage,omitempty"`   // the stage that the connection reached
	Summary string   `json:"summary"`           // in a few words
	Words   string   `json:"words,omitempty"`   // words of the other side, in lines
	Meaning string   `json:"meaning,omitempty"` // an explanation
	Hints   []string `json:"hints,omitempty"`   // what to do
	// transports that were tried or passed over, in order, if there was a choice
	Transports []Tried `json:"transports,omitempty"`
}

// Tried is the answer of one transport, or the reason why it was passed over.
type Tried struct {
	Transport string `json:"transport"`
	Class     string `json:"class"` // no_transport: it was passed over
	Summary   string `json:"summary"`
	Hint      string `json:"hint,omitempty"`
}
