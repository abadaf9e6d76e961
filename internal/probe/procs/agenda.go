package procs

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/metric"
)

// agenda says when processes are listed although nobody asks for them: at the pace of slow metrics, as problems and
// ranks depend on them.
type agenda struct {
	next  time.Duration // Moment.Mono
	tries int           // incomplete ones since the last complete one
}

// maxTries is how often in a row an incomplete list is tried again with the next report.
const maxTries = 3

func (a *agenda) due(now time.Duration) bool { return now >= a.next }

// listed notes a list, complete or not.
func (a *agenda) listed(now time.Duration, complete bool) {
	if a.tries++; complete || a.tries == maxTries {
		a.next, a.tries = now+metric.SlowSeconds*time.Second, 0
	}
}
