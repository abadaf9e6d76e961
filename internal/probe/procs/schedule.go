package procs

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// agenda is when to list processes next although nobody asked for them: problems and ranks need a list at the pace of
// slow metrics.
type agenda struct {
	next  time.Duration // Moment.Mono
	tries int           // incomplete lists since the last complete one
}

// maxTries is how many lists in a row may be incomplete before the agenda waits for its usual pace.
const maxTries = 3

func (a *agenda) due(now time.Duration) bool { return now >= a.next }

// noteListing records a list, complete or not.
func (a *agenda) noteListing(now time.Duration, complete bool) {
	if a.tries++; complete || a.tries == maxTries {
		a.next, a.tries = now+metric.SlowSeconds*time.Second, 0
	}
}
