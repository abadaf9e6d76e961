package cluster

import (
	"strconv"
	"strings"
	"time"
)

// EndedJob is a job that squeue has listed, and that has ended or is ending.
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
	Missed    time.Time `json:"missed,omitzero"`  // when squeue did not list it any more; zero: it still does
	Asking    bool      `json:"asking,omitempty"` // SLURM is still to be asked how it ended
}

// EndState is how a job has ended, in SLURM's word.
type EndState string

// The states of jobs that have ended, and JobCompleting of those that end: processes are killed, an epilog runs.
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

// Bad reports whether the job did not get to its end, and nobody canceled it.
func (s EndState) Bad() bool {
	switch s {
	case "", JobCompleting, JobCompleted, JobCanceled:
		return false
	}
	return true
}

// Exit is an exit code of SLURM: the highest exit status of the job's steps, or the signal that has ended one.
type Exit struct {
	Code   int `json:"code"`
	Signal int `json:"signal,omitempty"` // 0: none
}

// Over is when the job ended, as far as that is known: when SLURM says, or when squeue did not list it any more. It is
// zero while it ends.
func (j *EndedJob) Over() time.Time {
	if j.Missed.IsZero() || j.End.IsZero() {
		return j.Missed
	}
	return j.End
}

// Tasks is how many tasks of an array wait under one ID, as in "48500_[1-400%12]"; false if squeue has cut the list of
// them short.
func (j *PendingJob) Tasks() (n int, known bool) {
	_, list, isArray := strings.Cut(j.ID, "_[")
	if !isArray {
		return 1, true
	}
	list, whole := strings.CutSuffix(list, "]")
	list, _, _ = strings.Cut(list, "%")
	if !whole {
		return 0, false
	}
	for item := range strings.SplitSeq(list, ",") {
		count := tasksOf(item)
		if count < 1 {
			return 0, false
		}
		n += count
	}
	return n, true
}

// tasksOf is how many tasks an item of a list has: "7", "1-400", "0-20:5"; 0 if it is none.
func tasksOf(item string) int {
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
		return 0
	}
	return int((to-from)/step) + 1
}
