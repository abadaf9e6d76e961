// Package progress owns the reading of a job's log for how far its program is: the step, the pace, the loss. It is
// pure: a Reader is given the bytes of the log and the time at which they came. Only numbers leave it, never lines.
//
// A line counts if a row of the table of forms recognizes it, or if it has the parts of progress: a step, and how it
// goes. What a number means is decided by the words beside it. Evaluations, downloads and preparations have bars too:
// they are left out. A number that the log does not give is absent; a wrong number is worse than none.
package progress

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/joblog/progress/forms"
)

// Reader reads how far a program is from the bytes of its log. Its memory is bounded, whatever the log has. It is for
// one goroutine. The zero Reader is ready.
type Reader struct {
	split splitter
	forms forms.Reader
	state state
	quiet quiet
}

// Take reads the next bytes of the log, which came at this time. The first ones are what the log had before: when they
// were written is not known, unless their lines say it.
func (r *Reader) Take(data []byte, at time.Time) {
	if len(data) == 0 {
		return
	}
	r.quiet.note(at)
	if at.After(r.state.arrived) {
		r.state.arrived = at
		r.state.arrivals++
	}
	r.split.split(data, func(text []byte, isBelow bool) {
		if s, is := r.forms.Read(text, isBelow); is {
			r.state.noteLine(&s, at)
		}
	})
}

// Skip notes that a part of the log is left out: the line at hand is not whole, and the next bytes begin within a line.
func (r *Reader) Skip() { r.split = splitter{isCut: true} }

// Progress returns how far the program is.
func (r *Reader) Progress() progress.Progress {
	now := r.state
	if text := r.split.whole(); len(text) > 0 {
		peek := r.forms.Clone()
		if s, is := peek.Read(text, r.split.isBelow); is {
			now.paces = now.paces.clone()
			now.noteLine(&s, now.arrived)
		}
	}
	return now.progress()
}

// Silence returns the silence of the log at a time; nil: it is none, or it is not known how often the program writes.
func (r *Reader) Silence(now time.Time) *progress.Silence { return r.quiet.silence(now) }
