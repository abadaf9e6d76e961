// Package mark keeps the marks that programs set in their own runs: nvnodetop mark writes them, and screens, scalars,
// recordings and reports read them.
//
// Marks of a job are lines of JSON in a directory of the job below the user's state directory, in a file for each host,
// since appends of several hosts to one file of a shared home may overwrite each other. Files are bounded, and so is
// every read: a Reader takes whole lines only, from where it has stopped. Old directories are removed by later marks.
//
// A Book adds up the use of GPUs in each part. A Reader and a Book are for one goroutine; a Follower reads in one of
// its own, so that a file system that hangs keeps nobody waiting.
package mark

import (
	"cmp"
	"os"
)

// Variable names the marks of a command that nvnodetop track runs outside of a job.
const Variable = "NVNODETOP_MARKS"

// ID returns the name under which a process marks: its job, or the name that track has given it; "": neither.
func ID() string { return cmp.Or(os.Getenv(Variable), os.Getenv("SLURM_JOB_ID")) }

// By returns the name of this process among those that mark the same: its host and its rank.
func By() string {
	host, _ := os.Hostname()
	if rank := cmp.Or(os.Getenv("SLURM_PROCID"), os.Getenv("RANK")); rank != "" {
		host += "/" + rank
	}
	return host
}
