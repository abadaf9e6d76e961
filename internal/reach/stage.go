// Package reach is the vocabulary of reaching something: the stages of an attempt, how far each is, and why it failed.
//
// It is a leaf. Those who reach a node or SLURM speak it, and so do those who keep and draw what came of it; none of them needs to know
// another. It decides nothing; its values may be read from any number of goroutines.
package reach

import "time"

// Stage is one stage on the way from a name to a stream of reports, as the screen names it. Which there are, and in which order, depends
// on the way: each names its own.
type Stage string

// StepState says how far a stage is.
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
	Text  string        `json:"text,omitempty"` // what was found: "gpu-n04 is 10.12.0.14", "trying publickey (key 1 of 3)"
	Took  time.Duration `json:"took,omitzero"`  // of a stage that is done or failed
	At    time.Time     `json:"at,omitzero"`    // when it entered this state; the Store fills it in from the Event
}
