// Package mark keeps the marks that programs set in their own runs. nvnodetop mark writes them, and screens, scalars,
// recordings and reports read them.
//
// Marks of a job are lines of JSON in a directory of the job below the user's state directory. Each host has its own
// file, since appends from several hosts to one file of a shared home may overwrite each other. Files are bounded, and
// so is every read: a Reader reads only whole lines, from where it stopped last. Later marks remove old directories.
//
// A Book adds up the GPU use of each part. A Reader and a Book are for one goroutine. A Follower reads in a goroutine
// of its own, so that nobody has to wait for a file system that hangs.
package mark

import (
	"cmp"
	"os"
)

// Variable names the marks of a command that nvnodetop track runs outside a job.
const Variable = "NVNODETOP_MARKS"

// ID returns the name under which a process sets marks: its job, or the name that track gave it; "": neither.
func ID() string { return cmp.Or(os.Getenv(Variable), os.Getenv("SLURM_JOB_ID")) }

// By returns what distinguishes this process from others that mark the same part: its host and its rank.
func By() string {
	host, _ := os.Hostname()
	if rank := cmp.Or(os.Getenv("SLURM_PROCID"), os.Getenv("RANK")); rank != "" {
		host += "/" + rank
	}
	return host
}
