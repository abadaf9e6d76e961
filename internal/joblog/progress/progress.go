// Package progress owns how far the program of a job is, as its log says it: the step, the pace, the loss, when it
// ends. It is pure: a Reader is given the bytes of the log and the time at which they came. Only numbers leave it,
// never lines.
//
// A line counts if a row of the table of forms recognizes it, or if it has the parts of progress: a step, and how it
// goes. What a number means is decided by the words beside it. Evaluations, downloads and preparations have bars too:
// they are left out. A number that the log does not give is absent; a wrong number is worse than none.
package progress

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/joblog/progress/forms"
)

// Progress is how far a program is. What its log does not say is nil.
type Progress struct {
	Form string    // the row of the table of forms that recognized the line; "": there was none
	At   time.Time // when that line came

	Step  *int64 // as printed: some programs count from 0
	Total *int64 // the steps of Scope
	Scope Scope

	Epoch  *float64 // as printed
	Epochs *int64

	ended     *float64 // the number of epochs that have ended
	allEpochs float64  // the number of epochs, if ended is known

	SecondsPerStep *float64
	Source         Source // where SecondsPerStep comes from
	Slower         *Slower

	UnitsPerSecond *float64
	Unit           string // of UnitsPerSecond: "tokens", "samples", "it"

	Loss         *float64 // of the training; may be NaN
	LearningRate *float64
	MFU          *float64 // in percent

	// ETA is the time that the log says is left, from At on. ETAScope is what ends then.
	ETA      *time.Duration
	ETAScope Scope

	LastCheckpoint *Checkpoint
	Resumed        *int64 // the step at which the program went on
}

// Scope is what steps are counted within.
type Scope = forms.Scope

// The scopes.
const (
	UnknownScope = forms.UnknownScope
	OfRun        = forms.OfRun
	OfEpoch      = forms.OfEpoch
)

// Source is where a pace comes from.
type Source uint8

// The sources of a pace.
const (
	NoSource Source = iota
	Said            // the log says it
	Counted         // from the steps, and the times of their lines
)

func (s Source) String() string { return [...]string{"", "log", "steps"}[s] }

// Checkpoint is a checkpoint that the log mentions.
type Checkpoint struct {
	Step *int64
	At   time.Time // when its line came
}

// Done returns the share of the run that is done, from 0 to 1; nil: unknown.
func (p *Progress) Done() *float64 {
	switch {
	case p.Step == nil || p.Total == nil || *p.Total <= 0:
		return nil
	case p.Scope == OfRun:
		return share(float64(*p.Step) / float64(*p.Total))
	case p.Scope == OfEpoch && p.ended != nil:
		within := min(float64(*p.Step)/float64(*p.Total), 1)
		return share((*p.ended + within) / p.allEpochs)
	}
	return nil
}

// StepsLeft returns the number of steps until the end of the run; nil: unknown.
func (p *Progress) StepsLeft() *float64 {
	done := p.Done()
	if done == nil {
		return nil
	}
	all := float64(*p.Total)
	if p.Scope == OfEpoch {
		all *= p.allEpochs
	}
	left := all * (1 - *done)
	return &left
}

// share returns a share that is at most 1.
func share(s float64) *float64 {
	s = min(max(s, 0), 1)
	return &s
}
