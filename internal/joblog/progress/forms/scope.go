// Package forms reads what one line of a log says about the progress of a program. It owns the table of the forms in
// which programs write it, and the meaning of the words beside a number. It is pure.
package forms

// Scope is what steps are counted within.
type Scope uint8

// The scopes.
const (
	UnknownScope Scope = iota
	OfRun
	OfEpoch
)

func (s Scope) String() string { return [...]string{"unknown", "run", "epoch"}[s] }
