// Package state tells from the state of a job, in SLURM's word, whether the job has ended.
package state

import (
	"regexp"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// ends are the states of jobs that have ended. Versions of SLURM have added some.
var ends = []cluster.EndState{
	cluster.JobCompleted, cluster.JobCanceled, cluster.JobFailed, cluster.JobTimedOut, cluster.JobOutOfMemory,
	cluster.JobNodeFailed, cluster.JobBootFailed, cluster.JobDeadline, cluster.JobPreempted,
}

// alive are the states of jobs that have not ended, whatever the time of their end is: one that runs may run for longer
// than its limit, and one that ends still does so.
var alive = []cluster.EndState{
	"PENDING", "RUNNING", "SUSPENDED", "CONFIGURING", "STOPPED", "SIGNALING", "RESIZING", "EXPEDITING", "POWER_UP_NODE",
	"REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD", cluster.JobCompleting, "STAGE_OUT",
}

// word matches a state: SLURM calls none by anything else.
var word = regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,40}$`)

// IsEnd reports whether a state is that of a job that has ended. A state that is not known is one if the time of the
// end, as SLURM gives it, is over; zero: SLURM gives none.
func IsEnd(s cluster.EndState, end, now time.Time) bool {
	switch {
	case slices.Contains(ends, s):
		return true
	case slices.Contains(alive, s), !word.MatchString(string(s)):
		return false
	}
	return !end.IsZero() && !end.After(now)
}
