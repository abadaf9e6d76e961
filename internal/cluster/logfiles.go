package cluster

import "time"

// LogFiles are the files to which SLURM writes the output of a job's batch script. Their names are as SLURM has them:
// not yet fit for a screen.
type LogFiles struct {
	Number   string    // of the job
	Out, Err string    // absolute paths, often the same; "": the job has no batch script
	Host     string    // the node on which the batch script runs; "": none yet
	User     string    // owner of the job
	Start    time.Time // zero: not started
}
