// Package mark keeps what programs say about themselves: nvnodetop mark writes it, and commands that write down what
// they see read it.
//
// Marks of a job are lines of JSON in files below the user's state directory, one for each host, since appends of
// several hosts to one file of a shared home may overwrite each other. A file is bounded, and so is what is read of it:
// a Reader takes whole lines only, from where it has stopped. Old files are removed by later marks.
//
// A Book adds up what GPUs did in each part. A Reader and a Book are for one goroutine; a Follower reads in one of its
// own, so that a file system that hangs keeps nobody waiting.
package mark

import (
	"cmp"
	"os"
)

// Variable names the marks of a command that nvnodetop track runs outside of a job.
const Variable = "NVNODETOP_MARKS"

// ID returns the name under which a process marks: its job, or the one that track has given it; "": neither.
func ID() string { return cmp.Or(os.Getenv(Variable), os.Getenv("SLURM_JOB_ID")) }

// By returns the name of this process among those that mark the same: its host and its rank.
func By() string {
	host, _ := os.Hostname()
	if rank := cmp.Or(os.Getenv("SLURM_PROCID"), os.Getenv("RANK")); rank != "" {
		host += "/" + rank
	}
	return host
}
