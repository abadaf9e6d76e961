package cluster

import (
	"strconv"
	"strings"
	"time"
)

// EndedJob is a job that has ended or is ending.
type EndedJob struct {
	ID        string    `json:"id"`
	Number    string    `json:"number"`
	Name      string    `json:"name"`
	Partition string    `json:"partition,omitempty"`
	Nodes     int       `json:"nodes"`
	GPUs      *int      `json:"gpus,omitempty"`   // in total; nil: not known
	State     EndState  `json:"state,omitempty"`  // "": not known
	Exit      *Exit     `json:"exit,omitempty"`   // nil: not known
	Start     time.Time `json:"start,omitzero"`   // zero: not known
	End       time.Time `json:"end,omitzero"`     // zero: not known
	Missed    time.Time `json:"missed,omitzero"`  // when squeue first left it out; zero: it still lists it
	Asking    bool      `json:"asking,omitempty"` // SLURM has not yet said how it ended, or its log why
	// OutOfMemory is the step that ran out of memory, of a failed job: "0", "batch"; "": none is known.
	OutOfMemory string `json:"out_of_memory,omitempty"`
	Cause       string `json:"cause,omitempty"` // why it failed, from its log; "": not known
}

// EndState is how a job ended, in SLURM's word.
type EndState string

// The states of jobs that have ended. JobCompleting is for jobs that are ending: processes are being killed, or an
// epilog runs.
const (
	JobCompleting  EndState = "COMPLETING"
	JobCompleted   EndState = "COMPLETED"
	JobCanceled    EndState = "CANCELLED"
	JobFailed      EndState = "FAILED"
	JobTimedOut    EndState = "TIMEOUT"
	JobOutOfMemory EndState = "OUT_OF_MEMORY"
	JobNodeFailed  EndState = "NODE_FAIL"
	JobBootFailed  EndState = "BOOT_FAIL"
	JobDeadline    EndState = "DEADLINE"
	JobPreempted   EndState = "PREEMPTED"
)

// Bad reports whether the job did not reach its end, and nobody canceled it.
func (s EndState) Bad() bool {
	switch s {
	case "", JobCompleting, JobCompleted, JobCanceled:
		return false
	}
	return true
}

// SaysWhy reports whether the state alone explains the end: the log of the job has nothing to add.
func (s EndState) SaysWhy() bool {
	switch s {
	case JobTimedOut, JobNodeFailed, JobBootFailed, JobDeadline, JobPreempted:
		return true
	}
	return !s.Bad()
}

// Exit is an exit code of SLURM: the highest exit status of the job's steps, or the signal that ended a step.
type Exit struct {
	Code   int `json:"code"`
	Signal int `json:"signal,omitempty"` // 0: none
}

// Over returns the time at which the job ended, as far as known: from SLURM, or when squeue stopped listing it. It is
// zero while the job is ending.
func (j *EndedJob) Over() time.Time {
	if j.Missed.IsZero() || j.End.IsZero() {
		return j.Missed
	}
	return j.End
}

// NeverStarts reports whether the job waits in vain for another job that did not end as it should. SLURM leaves such a
// job in the queue unless its configuration says otherwise.
func (j *PendingJob) NeverStarts() bool { return j.Reason == "DependencyNeverSatisfied" }

// Tasks returns how many tasks of an array wait under one ID, as in "48500_[1-400%12]"; false if squeue cut their list
// short.
func (j *PendingJob) Tasks() (n int, known bool) {
	if !strings.Contains(j.ID, "_[") {
		return 1, true
	}
	tasks, known := j.parseTasks()
	if !known {
		return 0, false
	}
	for _, of := range tasks {
		n += int((of.to-of.from)/of.step) + 1
	}
	return n, true
}

// Has reports whether a task of an array, named by its number, waits under one ID. This is not known if squeue cut the
// list short before the task.
func (j *PendingJob) Has(task string) (has, known bool) {
	tasks, known := j.parseTasks()
	n, err := strconv.ParseUint(task, 10, 31)
	for _, of := range tasks {
		if err == nil && of.from <= n && n <= of.to && (n-of.from)%of.step == 0 {
			return true, true
		}
	}
	return false, known
}

// taskRange is a range of task numbers of an array, each step-th.
type taskRange struct{ from, to, step uint64 }

// parseTasks returns the tasks that wait under one ID; false if there are more, or none.
func (j *PendingJob) parseTasks() (all []taskRange, whole bool) {
	_, list, _ := strings.Cut(j.ID, "_[")
	list, whole = strings.CutSuffix(list, "]")
	list, _, _ = strings.Cut(list, "%")
	for item := range strings.SplitSeq(list, ",") {
		of, is := tasksOf(item)
		if !is {
			return all, false
		}
		all = append(all, of)
	}
	if !whole { // the last item may lack digits
		all = all[:len(all)-1]
	}
	return all, whole
}

// tasksOf reads an item of a list: "7", "1-400", "0-20:5".
func tasksOf(item string) (taskRange, bool) {
	span, every, stepped := strings.Cut(item, ":")
	low, high, ranged := strings.Cut(span, "-")
	if !ranged {
		high = low
	}
	if !stepped {
		every = "1"
	}
	from, err1 := strconv.ParseUint(low, 10, 31)
	to, err2 := strconv.ParseUint(high, 10, 31)
	step, err3 := strconv.ParseUint(every, 10, 31)
	if err1 != nil || err2 != nil || err3 != nil || to < from || step == 0 {
		return taskRange{}, false
	}
	return taskRange{from, to, step}, true
}
