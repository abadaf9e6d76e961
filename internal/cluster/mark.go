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

// MarkKind is the kind of a Mark.
type MarkKind string

// Kinds of a Mark.
const (
	Moment MarkKind = ""
	Begins MarkKind = "begin"
	Ends   MarkKind = "end"
)
