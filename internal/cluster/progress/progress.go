// Package progress owns what is known of how far the program of a job is, and the arithmetic over it: how much is done,
// when the run ends, and how that compares with the time limit of the job. StepTime finds the time of a step in the
// power of the job's GPUs. It is pure.
package progress

import "time"

// Progress is how far a program is, as its log says it. What the log does not say is nil. All numbers are finite.
type Progress struct {
	Form string    `json:"form"` // the row of the table of forms that recognized the line; "": there was none
	At   time.Time `json:"at"`   // when that line came

	Step  *int64 `json:"step,omitempty"`  // as printed: some programs count from 0
	Total *int64 `json:"total,omitempty"` // the steps of Scope
	Scope Scope  `json:"scope,omitempty"`

	Epoch  *float64 `json:"epoch,omitempty"` // as printed
	Epochs *int64   `json:"epochs,omitempty"`
	// EpochsEnded is how many of EpochsInAll have ended; nil: unknown. Programs count from 0 or 1.
	EpochsEnded *float64 `json:"epochs_ended,omitempty"`
	EpochsInAll float64  `json:"epochs_in_all,omitempty"`

	SecondsPerStep *float64 `json:"seconds_per_step,omitempty"`
	Source         Source   `json:"source,omitempty"` // where SecondsPerStep comes from
	Slower         *Slower  `json:"slower,omitempty"`

	UnitsPerSecond *float64 `json:"units_per_second,omitempty"`
	Unit           string   `json:"unit,omitempty"` // of UnitsPerSecond: "tokens", "samples", "images"

	Loss         *float64 `json:"loss,omitempty"`     // of the training
	Diverged     bool     `json:"diverged,omitempty"` // the loss is NaN or inf
	LearningRate *float64 `json:"learning_rate,omitempty"`
	MFU          *float64 `json:"mfu_percent,omitempty"`

	// ETA is the time that the log says is left, from At on. ETAScope is what ends then.
	ETA      *time.Duration `json:"eta,omitempty"`
	ETAScope Scope          `json:"eta_scope,omitempty"`

	Earlier *Earlier `json:"earlier,omitempty"` // the last job of the same name, user and shape; nil: none is known

	LastCheckpoint *Checkpoint `json:"last_checkpoint,omitempty"`
	Resumed        *int64      `json:"resumed,omitempty"` // the step at which the program went on
}

// Checkpoint is a checkpoint that the log mentions.
type Checkpoint struct {
	Step *int64    `json:"step,omitempty"`
	At   time.Time `json:"at"` // when its line came
}

// Slower is a change to a slower pace that lasts.
type Slower struct {
	Before float64   `json:"before"` // seconds a step, until then
	Since  time.Time `json:"since"`
}

// Earlier is what is known of an earlier run of the same program.
type Earlier struct {
	Job            string    `json:"job"`
	Seen           time.Time `json:"seen"` // when it was seen last
	SecondsPerStep float64   `json:"seconds_per_step"`
}

// Silence is that a log does not grow any more that used to.
type Silence struct {
	Since time.Time     `json:"since"`
	Usual time.Duration `json:"usual"` // between two writes
}

// Source is where a pace comes from.
type Source uint8

// The sources of a pace.
const (
	NoSource Source = iota
	Said            // the log says it
	Counted         // from the steps, and the times of their lines
	Measured        // the power of the job's GPUs shows it; the log says nothing of steps
)

func (s Source) String() string { return [...]string{"", "log", "steps", "power"}[s] }

// Scope is what steps are counted within.
type Scope uint8

// The scopes.
const (
	UnknownScope Scope = iota
	OfRun
	OfEpoch
)

func (s Scope) String() string { return [...]string{"unknown", "run", "epoch"}[s] }

// IsKnown reports whether the log says anything about progress.
func (p *Progress) IsKnown() bool { return p.Form != "" || p.Step != nil }

// Done returns the share of the run that is done, from 0 to 1; nil: unknown.
func (p *Progress) Done() *float64 {
	switch {
	case p.Step == nil || p.Total == nil || *p.Total <= 0:
		return nil
	case p.Scope == OfRun:
		return share(float64(*p.Step) / float64(*p.Total))
	case p.Scope == OfEpoch && p.EpochsEnded != nil && p.EpochsInAll > 0:
		within := min(float64(*p.Step)/float64(*p.Total), 1)
		return share((*p.EpochsEnded + within) / p.EpochsInAll)
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
		all *= p.EpochsInAll
	}
	left := all * (1 - *done)
	return &left
}

// share returns a share that is at most 1.
func share(s float64) *float64 {
	s = min(max(s, 0), 1)
	return &s
}
