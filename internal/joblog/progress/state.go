package progress

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/joblog/progress/forms"
)

// state is what lines have said so far.
type state struct {
	said forms.Said // together
	lead forms.Said // the line that said the step last
	at   time.Time  // when the last line of said came

	arrived  time.Time
	arrivals int // how many times bytes came
	others   int // lines of other sources since the last of the lead

	isRestart bool    // the steps began again with another epoch
	isOn      bool    // the steps went on into another epoch
	isOuter   bool    // another bar counts the epochs
	isFrom0   bool    // an epoch 0 was seen
	runTotal  float64 // the steps of the run, as a line without a step says; 0: none has
	resumed   *int64  // the step at which the program went on
	saved     *progress.Checkpoint
	paces     paces
}

// maxOthers is the number of lines of another source after which a silent lead is given up.
const maxOthers = 60

// noteLine keeps what a line says, which came at this time.
func (st *state) noteLine(s *forms.Said, at time.Time) {
	st.noteEvents(s, at)
	switch {
	case s.IsEvaluation, s.IsBar && s.IsBelow && s.Label == "" && s.Knows(forms.Step): // a bar within the training
		st.paces.pause()
	case s.IsPart || !s.Knows(forms.Step):
		st.addPart(s, at)
	case !st.isSameSource(s) && !st.shouldFollow(s):
		if st.others++; !s.IsBar { // a bar of another kind may be an evaluation
			st.said.Add(s, forms.Loss, forms.LearningRate)
		}
	case st.isBehind(s):
	default:
		st.follow(s, at)
	}
}

// noteEvents notes checkpoints and resumes.
func (st *state) noteEvents(s *forms.Said, at time.Time) {
	if s.IsCheckpoint {
		st.saved = &progress.Checkpoint{Step: count(s, forms.Saved), At: at}
		st.paces.pause()
	}
	if s.Knows(forms.Resumed) {
		st.resumed = count(s, forms.Resumed)
		if st.lead.Form == "" {
			st.said.Set(forms.Step, s.Num[forms.Resumed])
			st.at = at
		}
	}
}

// addPart adds what a line says that names no step.
func (st *state) addPart(s *forms.Said, at time.Time) {
	if s.Knows(forms.Total) {
		st.runTotal = s.Num[forms.Total]
	}
	if st.lead.Knows(forms.Total) {
		s.Drop(forms.Total)
	}
	if s.IsHead && st.lead.Knows(forms.Epochs) {
		s.Drop(forms.Epochs)
	}
	isOuter := s.IsBar && s.Knows(forms.Epochs)
	if st.isOuter = st.isOuter || isOuter; isOuter && st.lead.Form != "" {
		s.Drop(forms.Left)
	}
	st.said.Add(s, numbers...)
	if s.Knows(forms.Left) {
		st.said.ETAScope = s.ETAScope
	}
	switch saysMuch := s.Knows(forms.Epoch) && s.Knows(forms.Loss); {
	case st.lead.Form != "":
		if s.Knows(forms.Loss) {
			st.at = at
		}
	case saysMuch, isOuter, !s.IsPart && s.Knows(forms.Seconds):
		st.said.Form, st.at = s.Form, at
	}
}

// numbers are what a line without a step adds.
var numbers = []forms.Quantity{forms.Total, forms.Epoch, forms.Epochs, forms.Seconds, forms.Rate, forms.Loss,
	forms.LearningRate, forms.MFU, forms.Left}

// isSameSource reports whether a line is one of those that said the step until now.
func (st *state) isSameSource(s *forms.Said) bool {
	l := &st.lead
	return l.Form != "" && s.Form == l.Form && s.IsInner == l.IsInner && s.Label == l.Label && s.IsBar == l.IsBar &&
		(s.Num[forms.Total] == l.Num[forms.Total] || !s.IsBar)
}

// shouldFollow reports whether a line of another source says more about how far the program is than those until now.
func (st *state) shouldFollow(s *forms.Said) bool {
	l := &st.lead
	isEnded := l.Knows(forms.Total) && l.Num[forms.Step] >= l.Num[forms.Total]
	switch {
	case l.Form == "", st.others >= maxOthers:
		return true
	case s.IsInner != l.IsInner:
		return l.IsInner
	case s.Form == l.Form && s.Label == l.Label: // a bar of another length: an evaluation, or the next part of the work
		return isEnded && s.Num[forms.Total] > l.Num[forms.Total] || !l.Knows(forms.Total)
	case s.Knows(forms.Total) != l.Knows(forms.Total):
		return s.Knows(forms.Total)
	}
	return isEnded && s.Knows(forms.Total)
}

// mostLag is how many steps a rank may be behind another one that writes the same lines.
const mostLag = 20

// isBehind reports whether a line is one of a rank that is a little behind another one.
func (st *state) isBehind(s *forms.Said) bool {
	before, now := st.lead.Num[forms.Step], s.Num[forms.Step]
	return st.isSameSource(s) && now < before && before-now <= mostLag && now >= before/2 && now > 2 &&
		s.Num[forms.Epoch] == st.lead.Num[forms.Epoch]
}

// follow takes a line that says the step.
func (st *state) follow(s *forms.Said, at time.Time) {
	isSame := st.isSameSource(s)
	st.noteJump(s)
	st.noteEpoch(s, isSame)
	st.paces.note(s, &st.lead, isSame, st.clockOf(s, at))
	st.dropOld(s, isSame)
	st.said.Add(s, forms.Step)
	st.said.Add(s, numbers...)
	st.said.Form, st.said.Scope, st.said.ETAScope = s.Form, s.Scope, s.ETAScope
	st.said.IsBase0, st.said.IsLast = s.IsBase0, s.IsLast
	st.lead, st.at, st.others = *s, at, 0
}

// jump is the number of steps after a resume in which a bar counts the steps before it as its own.
const jump = 30

// noteJump corrects the bar of a program that went on from a checkpoint: it begins at 0, and jumps.
func (st *state) noteJump(s *forms.Said) {
	if st.resumed == nil || !s.IsBar {
		return
	}
	from := float64(*st.resumed)
	if s.Num[forms.Step] == 0 && s.Num[forms.Total] > from {
		s.Set(forms.Step, from)
	}
	if s.Num[forms.Step]-from < jump {
		s.Drop(forms.Seconds, forms.Left)
	}
}

// nearEnd is the share of an epoch's steps after which it may have ended unseen.
const nearEnd = 0.8

// noteEpoch notes whether the steps begin again with each epoch.
func (st *state) noteEpoch(s *forms.Said, isSame bool) {
	if s.Knows(forms.Epoch) && s.Num[forms.Epoch] == 0 {
		st.isFrom0 = true
	}
	if !isSame {
		return
	}
	l := &st.lead
	if s.Num[forms.Step] < l.Num[forms.Step] && l.Knows(forms.Total) && l.Num[forms.Step] >= l.Num[forms.Total]*nearEnd {
		st.isRestart, st.isOn = true, false
		st.said.Drop(forms.Seconds, forms.Left)
	}
	if s.Knows(forms.Epoch) && l.Knows(forms.Epoch) && s.Num[forms.Epoch] == l.Num[forms.Epoch]+1 &&
		s.Num[forms.Step] > l.Num[forms.Step] {
		st.isOn, st.isRestart = true, false
	}
}

// dropOld leaves out what was said before, and does not hold for a line.
func (st *state) dropOld(s *forms.Said, isSame bool) {
	if s.Num[forms.Step] != st.lead.Num[forms.Step] {
		st.said.Drop(forms.Left)
	}
	if !isSame && st.lead.Form != "" {
		st.said.Drop(forms.Seconds, forms.Rate, forms.Left)
	}
	if st.said.Drop(forms.Total); st.runTotal > 0 && st.runTotal >= s.Num[forms.Step] {
		st.said.Set(forms.Total, st.runTotal)
	}
}

// clockOf returns when a line was written, by a clock whose differences alone count.
func (st *state) clockOf(s *forms.Said, at time.Time) clockTime {
	if s.Knows(forms.Elapsed) {
		return clockTime{kind: s.Clock + 1, seconds: s.Num[forms.Elapsed]}
	}
	if st.arrivals > 1 {
		return clockTime{kind: arrival, seconds: float64(at.UnixNano()) / 1e9}
	}
	return clockTime{}
}
