package procs

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// agenda is the time of the next list of processes that nobody asked for: problems and ranks need one at the pace of
// slow metrics.
type agenda struct {
	next  time.Duration // Moment.Mono
	tries int           // incomplete lists since the last complete one
}

// maxTries is the number of incomplete lists in a row after which the agenda waits for its usual pace.
const maxTries = 3

func (a *agenda) due(now time.Duration) bool { return now >= a.next }

// noteListing takes note of a list, complete or not.
func (a *agenda) noteListing(now time.Duration, complete bool) {
	if a.tries++; complete || a.tries == maxTries {
		a.next, a.tries = now+metric.SlowSeconds*time.Second, 0
	}
}
