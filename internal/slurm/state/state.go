// Package state tells from the state of a job, in SLURM's word, whether the job has ended.
package state

import (
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// ends are the states of jobs that have ended. Versions of SLURM have added some.
var ends = []cluster.EndState{
	cluster.JobCompleted, cluster.JobCanceled, cluster.JobFailed, cluster.JobTimedOut, cluster.JobOutOfMemory,
	cluster.JobNodeFailed, cluster.JobBootFailed, cluster.JobDeadline, cluster.JobPreempted,
}

// IsEnd reports whether a state is that of a job that has ended.
func IsEnd(s cluster.EndState) bool { return slices.Contains(ends, s) }
