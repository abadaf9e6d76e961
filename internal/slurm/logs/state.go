package logs

import (
	"regexp"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// endStates are the states of jobs that have ended. Versions of SLURM have added some.
var endStates = []cluster.EndState{
	cluster.JobCompleted, cluster.JobCanceled, cluster.JobFailed, cluster.JobTimedOut, cluster.JobOutOfMemory,
	cluster.JobNodeFailed, cluster.JobBootFailed, cluster.JobDeadline, cluster.JobPreempted,
}

// aliveStates are the states of jobs that have not ended, even if their end time has passed: a running job may exceed
// its limit, and an ending job still takes time.
var aliveStates = []cluster.EndState{
	"PENDING", "RUNNING", "SUSPENDED", "CONFIGURING", "STOPPED", "SIGNALING", "RESIZING", "EXPEDITING", "POWER_UP_NODE",
	"REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD", cluster.JobCompleting, "STAGE_OUT",
}

// stateWord matches a state: SLURM names its states in no other way.
var stateWord = regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,40}$`)

// IsEndState reports whether a state is that of a job that has ended. An unknown state counts as an end if the end time
// that SLURM gives has passed; zero: SLURM gives none.
func IsEndState(s cluster.EndState, end, now time.Time) bool {
	switch {
	case slices.Contains(endStates, s):
		return true
	case slices.Contains(aliveStates, s), !stateWord.MatchString(string(s)):
		return false
	}
	return !end.IsZero() && !end.After(now)
}
