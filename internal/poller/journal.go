package poller

import (
	"log/slog"
	"math/bits"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// journal logs the events of one node. It describes failures in our words, never in those of the other side. It logs
// repeated failures when their number is a power of two, so that the log of a dead node grows slowly.
type journal struct {
	log  *slog.Logger
	door string
	open bool   // a session
	last string // failure
	same int    // failures in a row that equal the last one
}

func (j *journal) logAttempt(door string) {
	j.door = door
	if j.same == 0 {
		j.log.Debug("attempt", "door", door)
	}
}

func (j *journal) logSession() {
	j.open, j.last, j.same = true, "", 0
	j.log.Info("session begins", "door", j.door)
}

func (j *journal) logEnd(f *reach.Failure, streamed, wait time.Duration) {
	what := "attempt failed"
	if j.open {
		what = "session ended"
	}
	j.open = false
	if same := j.door + string(f.Class) + f.Short; same != j.last {
		j.last, j.same = same, 0
	}
	j.same++
	if bits.OnesCount(uint(j.same)) > 1 {
		return
	}
	j.log.Warn(what, "door", j.door, "class", f.Class, "why", f.Short, "reported", streamed.Round(time.Second), "retry",
		wait.Round(time.Millisecond), "times", j.same)
}

// logUnwatched logs that an open session was closed because the node is no longer watched.
func (j *journal) logUnwatched() {
	if j.open {
		j.log.Info("session closed", "door", j.door)
	}
}
