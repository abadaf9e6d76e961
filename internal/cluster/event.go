package cluster

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Source is where Events come from. Run emits them until ctx ends, in order, from one goroutine at a time or from several: emit is
// safe for that and does not block for long. It returns nil when ctx ended it, else why it cannot go on.
type Source interface {
	Run(ctx context.Context, emit func(Event)) error
}

// Event is one thing that happened. Exactly one of the pointers is set, or Gone.
type Event struct {
	At   time.Time `json:"at"` // arrival at nvnodetop
	Node string    `json:"node,omitempty"`

	Discovery *Discovery   `json:"discovery,omitempty"` // the discoverer asked and was answered, or not
	Try       *Try         `json:"try,omitempty"`       // a new attempt to reach Node begins
	Step      *reach.Step  `json:"step,omitempty"`      // a stage of the attempt began, was done or failed
	Hello     *wire.Hello  `json:"hello,omitempty"`     // Node's probe said what does not change
	Report    *wire.Report `json:"report,omitempty"`    // one sample of Node
	Down      *Down        `json:"down,omitempty"`      // the attempt failed, or the session ended
	Gone      bool         `json:"gone,omitempty"`      // Node is watched no more
}

// Try begins an attempt to reach a node.
type Try struct {
	Interval time.Duration `json:"interval"`         // the pace that will be asked for: between two reports
	Stages   []reach.Stage `json:"stages,omitempty"` // that it goes through, in order
}

// Down ends an attempt or a session.
type Down struct {
	Failure reach.Failure `json:"failure"`
	Retry   time.Time     `json:"retry,omitzero"` // when the next attempt begins; zero: not by itself
}

// EveryNode stands for all nodes where a person asks for something of one.
const EveryNode = "*"
