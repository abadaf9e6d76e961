package cluster

import "time"

// Mark is what a program says about itself: a part of its work begins or ends, or something happens.
type Mark struct {
	Job  string    `json:"job"`  // number of the job, or the name that track gives its command
	Name string    `json:"name"` // of the part
	Kind MarkKind  `json:"kind,omitempty"`
	At   time.Time `json:"at"`           // by the clock of its host
	By   string    `json:"by,omitempty"` // host and rank: several may mark the same part
	// arrival at nvnodetop
	Arrived time.Time `json:"-"`
}

// apart is the largest possible difference between the clocks of SLURM and of a node. A requeued job waits longer than
// that.
const apart = 30 * time.Second

// Marked reports whether a mark is from this run of the job. A requeued job keeps its number, and the marks of its
// earlier runs.
func (j *Job) Marked(m *Mark) bool { return m.Job == j.Number && !m.At.Before(j.Start.Add(-apart)) }

// MarkKind is the kind of a Mark.
type MarkKind string

// Kinds of a Mark.
const (
	Moment MarkKind = ""
	Begins MarkKind = "begin"
	Ends   MarkKind = "end"
)
