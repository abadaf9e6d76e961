// Package reach is the vocabulary for reaching something: the stages of an attempt, their progress, and the reason for
// a failure.
//
// It is a leaf. The packages that reach nodes and SLURM use it, and so do the packages that store and draw the result;
// none of them needs to know the others. The package makes no decisions. Any number of goroutines may read its values.
package reach

import "time"

// Stage is one stage from a host name to a stream of reports, as shown on the screen. Each way to a node has its own
// stages, in its own order.
type Stage string

// DoorHere is the name of the door to this host itself.
const DoorHere = "local"

// Route is how an attempt reaches a node: the name of its door, and the stages in order.
type Route struct {
	Door   string  `json:"transport,omitempty"`
	Stages []Stage `json:"stages,omitempty"`

	// Passed is a door of another kind that was given up for a reason that the user must know; nil: there is none.
	Passed *Tried `json:"passed,omitempty"`
}

// StepState is the progress of a stage.
type StepState string

// States of a stage.
const (
	StepBegan  StepState = "began"
	StepDone   StepState = "done"
	StepFailed StepState = "failed"
)

// Step is one stage of an attempt.
type Step struct {
	Stage Stage         `json:"stage"`
	State StepState     `json:"state"`
	Text  string        `json:"text,omitempty"` // the result: "gpu-n04 is 10.12.0.14", "trying publickey (key 1 of 3)"
	Took  time.Duration `json:"took,omitzero"`  // if done or failed
	At    time.Time     `json:"at,omitzero"`    // start of this state; set by the Store from the Event
}
