package cluster

import "time"

// LogFiles are the files to which SLURM writes the output of a job's batch script. Their names are as SLURM gives them,
// so they are not yet safe to display.
type LogFiles struct {
	ID, Number string    // of the job; the ID as squeue prints it
	Out, Err   string    // absolute paths, often the same; "": the job has no batch script
	Host       string    // the node on which the batch script runs; "": none yet
	User       string    // owner of the job
	Start      time.Time // zero: not started

	Waits    string    // SLURM's word for why the job does not run yet; "": it has begun
	Expected time.Time // SLURM's estimate of the start; zero: none

	Again   bool // the job ran before and was requeued: a file may be from that run
	Ended   bool // the job has ended
	Unused  bool // it was canceled before it began: it has no log
	Guessed bool // SLURM has forgotten the names: these are the likely ones
}
