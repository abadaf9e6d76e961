package tally

import (
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// JobRow is a job, or a task of an array: with nodes, waiting, or ended. Exactly one of the pointers is set.
type JobRow struct {
	Running *cluster.JobView
	Pending *cluster.PendingJob
	Ended   *cluster.EndedJob

	ID, Name, Partition string
	State               JobState
	Nodes               int
	GPUs                *int // nil: unknown

	// For a job with nodes: sums over its GPUs on nodes that report, and its problems.
	Totals
	Low      Sum
	LowOn    string           // node of the GPU with the lowest utilization, if it stands out from the rest
	Worst    *cluster.Finding // nil: no problem
	Problems int              // warnings and errors
}

// JobState is the state of a job: SLURM's short code for it, and the word.
type JobState struct{ Code, Word string }

// States of jobs that have not ended.
var (
	jobRuns      = JobState{"R", "running"}
	jobSuspended = JobState{"S", "suspended"}
	jobWaits     = JobState{"PD", "pending"}
	jobBoots     = JobState{"CF", "booting"}
)

// endStates are the states of jobs that have ended.
var endStates = map[cluster.EndState]JobState{
	cluster.JobCompleting: {"CG", "ending"}, cluster.JobCompleted: {"CD", "completed"},
	cluster.JobCanceled: {"CA", "canceled"}, cluster.JobFailed: {"F", "failed"},
	cluster.JobTimedOut: {"TO", "time limit"}, cluster.JobOutOfMemory: {"OOM", "out of memory"},
	cluster.JobNodeFailed: {"NF", "node failed"},
	cluster.JobBootFailed: {"BF", "boot failed"}, cluster.JobDeadline: {"DL", "deadline"},
	cluster.JobPreempted: {"PR", "preempted"}, "": {"–", "ended"},
}

// Jobs returns the jobs with nodes, the waiting jobs, and the ended jobs, in SLURM's order.
func Jobs(s *cluster.Snapshot) []JobRow {
	d := &s.Discovery
	rows := make([]JobRow, 0, len(s.Jobs)+len(d.Pending)+len(d.Ended))
	for i := range s.Jobs {
		rows = append(rows, runningRow(s, &s.Jobs[i]))
	}
	for i := range d.Pending {
		j := &d.Pending[i]
		r := JobRow{Pending: j, ID: j.ID, Name: j.Name, Partition: j.Partition, State: jobWaits, Nodes: j.Nodes,
			GPUs: j.GPUs}
		if j.Booting {
			r.State = jobBoots
		}
		rows = append(rows, r)
	}
	for i := range d.Ended {
		j := &d.Ended[i]
		rows = append(rows, JobRow{Ended: j, ID: j.ID, Name: j.Name, Partition: j.Partition, State: EndOf(j),
			Nodes: j.Nodes, GPUs: j.GPUs})
	}
	return rows
}

func runningRow(s *cluster.Snapshot, j *cluster.JobView) JobRow {
	r := JobRow{Running: j, ID: j.ID, Name: j.Name, Partition: j.Partition, State: jobRuns, Nodes: len(j.Nodes)}
	if j.Suspended {
		r.State = jobSuspended
	}
	if j.GPUs > 0 || j.Minors != nil || j.Reporting == len(j.Nodes) {
		r.GPUs = &j.GPUs
	}
	gpus := Fresh(s, j)
	r.Totals = Total(gpus)
	low, standsOut := Slowest(gpus)
	if r.Low = low; standsOut {
		r.LowOn = NodeOf(s, j, low.GPU)
	}
	for i := range j.Findings {
		f := &j.Findings[i]
		if !f.Holds() || f.Severity < cluster.Waiting {
			continue
		}
		if r.Worst == nil {
			r.Worst = f
		}
		if f.Severity >= cluster.Warning {
			r.Problems++
		}
	}
	return r
}

// NewState is the code of a state that is not known here.
const NewState = "?"

// EndOf returns the state of a job that has ended. If a step ran out of memory, so did the job: SLURM only has the exit
// code of its script. An unknown state is given in SLURM's word.
func EndOf(e *cluster.EndedJob) JobState {
	if e.State == cluster.JobFailed && e.OutOfMemory != "" {
		return endStates[cluster.JobOutOfMemory]
	}
	s, known := endStates[e.State]
	if !known {
		s = JobState{Code: NewState, Word: strings.ToLower(strings.ReplaceAll(string(e.State), "_", " "))}
	}
	return s
}

// WhyEnded says why a job failed, as far as known: what its log says, or the step that ran out of memory.
func WhyEnded(e *cluster.EndedJob) string {
	switch {
	case e.Cause != "":
		return e.Cause
	case e.OutOfMemory != "":
		return "step " + e.OutOfMemory
	}
	return ""
}
