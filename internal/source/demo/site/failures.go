package site

import "github.com/nvnodetop/nvnodetop/internal/wire/reach"

// NoController is the failure of squeue and scancel while the controller is away.
func NoController() *reach.Failure {
	return &reach.Failure{
		Class:   reach.ClassSlurmTimeout,
		Short:   "slurmctld not responding",
		Cause:   "Socket timed out on send/recv operation",
		Words:   "slurm_load_jobs error: Socket timed out on send/recv operation",
		Meaning: "The SLURM controller is down, overloaded or unreachable. Running jobs continue.",
		Hints:   []string{"check with: scontrol ping"},
	}
}

// UnknownJob is the failure of scancel for a job that has ended.
func UnknownJob(id string) *reach.Failure {
	return &reach.Failure{
		Class:   reach.ClassSlurm,
		Short:   "scancel failed",
		Cause:   "Kill job error on job id " + id + ": Invalid job id specified",
		Meaning: "SLURM does not know this job any more.",
		Hints:   []string{"refresh the list of jobs: this one may have ended"},
	}
}
