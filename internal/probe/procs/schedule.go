package procs

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// listSchedule is when to list processes next although nobody asked for them: problems and ranks need a list at the
// pace of slow metrics.
type listSchedule struct {
	next  time.Duration // Moment.Mono
	tries int           // incomplete lists since the last complete one
}

// maxTries is how many lists in a row may be incomplete before the agenda waits for its usual pace.
const maxTries = 3

func (a *listSchedule) due(now time.Duration) bool { return now >= a.next }

// noteListing records a list, complete or not.
func (a *listSchedule) noteListing(now time.Duration, complete bool) {
	if a.tries++; complete || a.tries == maxTries {
		a.next, a.tries = now+metric.SlowSeconds*time.Second, 0
	}
}
