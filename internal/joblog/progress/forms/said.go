// Package forms reads what one line of a log says about the progress of a program. It owns the table of the forms in
// which programs write it, and the meaning of the words beside a number. It is pure.
package forms

import "github.com/nvnodetop/nvnodetop/internal/cluster/progress"

const (
	ofRun   = progress.OfRun
	ofEpoch = progress.OfEpoch
)

// Quantity is one of the numbers that a line may say.
type Quantity uint8

// The quantities.
const (
	Step Quantity = iota
	Total
	Epoch
	Epochs
	Seconds // a step
	Rate    // units a second
	Loss
	LearningRate
	MFU
	Left    // seconds until the end of ETAScope
	Elapsed // seconds since some moment: only differences count
	Resumed // the step at which the program goes on
	Saved   // the step of a checkpoint
	quantities
)

// Said is what a line says.
type Said struct {
	Form string // the row of the table that recognized the line
	Num  [quantities]float64
	has  uint16 // a bit for each quantity
	Unit string // of Rate: "tokens"

	Scope    progress.Scope // of Step and Total
	ETAScope progress.Scope // of Left
	Clock    byte           // the kind of Elapsed; 0: since the program began. Times of one kind can be compared

	IsPart  bool // the line says no step: it adds to what others say
	IsHead  bool // the same, about the whole run
	IsInner bool // a loop within each step of a job: it counts only if no other line says the step

	IsBar   bool
	IsBelow bool   // a bar below another one
	Label   string // of a bar, without its numbers
	IsBase0 bool   // epochs are counted from 0
	IsLast  bool   // Epochs is the number of the last one

	IsCheckpoint, IsEvaluation bool
}

// Knows reports whether the line says a quantity.
func (s *Said) Knows(q Quantity) bool { return s.has&(1<<q) != 0 }

// Set notes a number; what counts something must be a count.
func (s *Said) Set(q Quantity, v float64) {
	switch q {
	case Step, Total, Epochs, Resumed, Saved:
		if !isCount(v) {
			return
		}
	case Seconds, Left, Epoch, Rate, MFU, LearningRate:
		if !(v >= 0 && v < 1e15) {
			return
		}
	}
	s.Num[q] = v
	s.has |= 1 << q
}

// Add takes quantities from s that it has.
func (s *Said) Add(from *Said, of ...Quantity) {
	for _, q := range of {
		if !from.Knows(q) {
			continue
		}
		s.Num[q] = from.Num[q]
		s.has |= 1 << q
		if q == Rate {
			s.Unit = from.Unit
		}
	}
}

// Drop leaves quantities out.
func (s *Said) Drop(of ...Quantity) {
	for _, q := range of {
		s.has &^= 1 << q
	}
}

// setSpeed notes a pace by its unit, such as "s/it" or "tokens/s".
func (s *Said) setSpeed(v float64, unit string) bool {
	u, is := unitOf(unit)
	switch {
	case !is:
		return false
	case u.ofStep && u.isTime:
		s.Set(Seconds, v*u.scale)
	case u.ofStep && v > 0:
		s.Set(Seconds, u.scale/v)
	case !u.isTime && u.name != "" && !s.Knows(Rate):
		s.Set(Rate, v/u.scale)
		s.Unit = u.name
	}
	return true
}
