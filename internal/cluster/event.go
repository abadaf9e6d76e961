package cluster

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Source produces Events. Run emits them in order until ctx ends, from one or several goroutines. emit may be called
// concurrently and does not block for long. Run returns nil if ctx ended it, otherwise the reason it cannot continue.
type Source interface {
	Run(ctx context.Context, emit func(Event)) error
}

// Event is something that happened. Exactly one of its pointers is set, or Gone is true.
type Event struct {
	At   time.Time `json:"at"` // arrival at nvnodetop
	Node string    `json:"node,omitempty"`

	Discovery *Discovery          `json:"discovery,omitempty"` // SLURM answered the question for jobs, or failed to
	Try       *Try                `json:"try,omitempty"`       // a new attempt to reach Node begins
	Step      *reach.Step         `json:"step,omitempty"`      // a stage of the attempt began, was done or failed
	Hello     *wire.Hello         `json:"hello,omitempty"`     // Node's probe sent its constant facts
	Report    *wire.Report        `json:"report,omitempty"`    // one sample of Node
	Pace      *Pace               `json:"pace,omitempty"`      // Node's probe got another interval
	Down      *Down               `json:"down,omitempty"`      // the attempt failed, or the session ended
	Mark      *Mark               `json:"mark,omitempty"`      // a program of a job has marked a part of its work
	Stacks    *rankstacks.Verdict `json:"stacks,omitempty"`    // what the ranks of a job do; sent on request
	Progress  *JobProgress        `json:"progress,omitempty"`  // how far the program of a job is
	Gone      bool                `json:"gone,omitempty"`      // Node is no longer watched
}

// How many Events that are not about a node a Store keeps.
const (
	KeptMarks    = 1000 // the newest
	KeptStacks   = 16   // one for each of the jobs that were asked last
	KeptProgress = 64   // one for each of the first jobs
)

// Try begins an attempt to reach a node.
type Try struct {
	Interval time.Duration `json:"interval"` // requested time between two reports
	reach.Route
}

// Pace changes the interval of a session.
type Pace struct {
	Interval time.Duration `json:"interval"` // requested time between two reports
}

// Down ends an attempt or a session.
type Down struct {
	Failure reach.Failure `json:"failure"`
	Retry   time.Time     `json:"retry,omitzero"` // when the next attempt begins; zero: only on request
}

// EveryNode stands for all nodes in a request to a node.
const EveryNode = "*"
