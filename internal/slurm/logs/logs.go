// Package logs finds the files to which SLURM writes the output of a job's batch script. It learns them from the
// controller, from what the controller said before, or from the accounts. It tells from a job's state whether the job
// has ended.
package logs

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Finder finds the files of jobs. It is for one goroutine.
type Finder struct {
	Run command.Runner

	named []*cluster.LogFiles // those of jobs that were asked about, the latest last
}

// startedID matches the ID of a job that may have begun, as squeue prints it: "48211", a task "2_1", a component "3+1".
// Its group is the ID of the job, the array or the heterogeneous job.
var startedID = regexp.MustCompile(`^([1-9][0-9]{0,9})(?:[_+][0-9]{1,9})?$`)

// Find asks for the files of a job's output, by the ID of the job as squeue prints it, or by its number. The error is a
// *reach.Failure, command.ErrNoSlurm, or ctx's.
func (f *Finder) Find(ctx context.Context, job string) (*cluster.LogFiles, error) {
	if !startedID.MatchString(job) {
		return nil, noLogs(fmt.Sprintf("%q is not the id of a job that has started (squeue --me lists your jobs)", job))
	}
	if leader, at, is := strings.Cut(job, "+"); is && at != "0" {
		job = leader + "+0"
	}
	out, stderr, err := f.Run.Within(ctx, "scontrol", "show", "job", job)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if command.NoSlurm(stderr, err) {
		return nil, command.ErrNoSlurm
	}
	if err != nil {
		failed := command.Failed("scontrol", stderr, err)
		if failed.Class != reach.ClassSlurm || failed.Meaning != "" { // not asked, or the controller does not answer
			return nil, failed
		}
		if command.LacksJob(out, stderr) {
			failed = jobNotFound(job)
		}
		return f.findForgotten(ctx, job, failed)
	}
	jobs := command.ShownJobs(out)
	f.Note(jobs)
	this := slices.DeleteFunc(slices.Clone(jobs), func(j command.ShownJob) bool { return !j.Is(job) })
	switch {
	case len(jobs) > 0 && jobs[0]["ArrayJobId"] == job && (len(this) != len(jobs) || this[0].WaitsForTasks()):
		return nil, noLogs("job " + job + " is an array: name a task of it, such as " + job + "_" + firstTask(jobs[0]))
	case len(this) > 1:
		return nil, noLogs("scontrol shows job " + job + " twice: a text of the job has lines like those of scontrol")
	case len(this) == 1 && !slices.Contains([]string{"", "0"}, this[0]["HetJobOffset"]):
		return f.Find(ctx, this[0]["HetJobId"]+"+0") // there the batch script runs, with the output of all components
	case len(this) == 1:
		return filesOf(this[0])
	}
	for _, j := range jobs {
		if task, is := taskOf(j, job); is {
			return filesOf(task)
		}
	}
	return nil, cmp.Or(noTask(job, jobs), noLogs("scontrol shows no job "+job))
}

// noTask returns the failure when the records of an array lack a task; nil: the records are not those of the array.
func noTask(job string, records []command.ShownJob) *reach.Failure {
	array, task, is := strings.Cut(job, "_")
	for _, j := range records {
		switch {
		case is && j["ArrayJobId"] == array:
			return noLogs("job " + array + " has no task " + task)
		case is && j["JobId"] == array:
			return noLogs("job " + array + " has no task " + task + ": it is not an array")
		}
	}
	return nil
}

func noLogs(cause string) *reach.Failure {
	return &reach.Failure{Class: reach.ClassSlurm, Short: "no log", Cause: cause}
}

// taskOf returns the record of a task that is waiting, from the record of its array; false: that record does not
// include it. The task's own job number is not known yet.
func taskOf(j command.ShownJob, job string) (command.ShownJob, bool) {
	array, task, _ := strings.Cut(job, "_")
	if !j.WaitsForTasks() || array != j["ArrayJobId"] || task == "" {
		return nil, false
	}
	all := cluster.PendingJob{ID: array + "_[" + j["ArrayTaskId"] + "]"}
	if has, known := all.Has(task); !has && known {
		return nil, false
	}
	own := maps.Clone(j)
	delete(own, "JobId")
	own["ArrayTaskId"] = task
	for _, key := range []string{"StdOut", "StdErr"} {
		if own[key] != "" {
			own[key] = strings.ReplaceAll(own[key], waitingTask, task)
		}
	}
	return own, true
}

// waitingTask is the value of slurmd's NO_VAL, which stands for the number of a task in file names.
const waitingTask = "4294967294"

// firstTask returns the first task in an array's record.
func firstTask(j command.ShownJob) string {
	task := j["ArrayTaskId"]
	return task[:len(task)-len(strings.TrimLeft(task, "0123456789"))]
}

func filesOf(j command.ShownJob) (*cluster.LogFiles, error) {
	if err := refuseAmbiguous(j); err != nil {
		return nil, err
	}
	user, _, _ := strings.Cut(j["UserId"], "(")
	l := &cluster.LogFiles{ID: j.ID(), Number: j["JobId"], Host: j["BatchHost"], User: user,
		Start: command.ParseTime(j["StartTime"])}
	l.Ended = IsEndState(cluster.EndState(j["JobState"]), command.ParseTime(j["EndTime"]), time.Now())
	restarts, err := strconv.Atoi(j["Restarts"])
	l.Again = err == nil && restarts > 0
	l.Unused = l.Ended && l.Host == "" && !l.Again
	switch j["JobState"] {
	case "PENDING":
		l.Waits, l.Expected, l.Start, l.Host = cmp.Or(j["Reason"], "None"), l.Start, time.Time{}, ""
		if j["Priority"] == "0" { // it is held, as in record.isHeld of package slurm
			l.Expected = time.Time{}
		}
	case "CONFIGURING":
		l.Waits = "its nodes boot"
	}
	l.Out, l.Err = pathOf(j, j["StdOut"], user), pathOf(j, j["StdErr"], user)
	if l.Err == "" {
		l.Err = l.Out
	}
	return l, nil
}

// refuseAmbiguous refuses a record with a value that may be part of a text.
func refuseAmbiguous(j command.ShownJob) error {
	needed := []string{"UserId", "StdOut", "StdErr", "BatchHost", "StartTime", "JobState", "Restarts"}
	if isRelative(j["StdOut"]) || isRelative(j["StdErr"]) {
		needed = append(needed, "WorkDir")
	}
	for _, key := range needed {
		if holder, is := strings.CutPrefix(j[key], command.UnsureText); is {
			return noLogs("scontrol shows two values of " + key + " of job " + j["JobId"] + ": its " + holder +
				" has lines like those of scontrol")
		}
	}
	if j["BatchFlag"] == "1" && j["StdOut"] == "" {
		return noLogs("what scontrol shows of job " + j["JobId"] +
			" ends before its files: a text of the job has lines like those of scontrol")
	}
	return nil
}

// isRelative reports whether a file name is relative to the directory of the job.
func isRelative(name string) bool { return name != "" && !strings.HasPrefix(name, "/") }

// pathOf returns the path that a file name stands for: some versions of SLURM show the name as the user wrote it.
func pathOf(j command.ShownJob, name, user string) string {
	switch {
	case name == "" || name == "(null)":
		return ""
	case strings.Contains(name, `\`): // then nothing is replaced
		name = strings.ReplaceAll(name, `\`, "")
	default:
		name = expandPatterns(j, name, user)
	}
	if !strings.HasPrefix(name, "/") {
		name = strings.TrimRight(j["WorkDir"], "/") + "/" + name
	}
	return name
}

// maxPad is the largest width to which SLURM pads a number.
const maxPad = 10

// expandPatterns replaces the patterns of a file name as slurmd does for a batch script: "%j", "%4a".
func expandPatterns(j command.ShownJob, name, user string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(name, "%")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if digits == len(rest) { // nothing follows
			return b.String() + "%" + rest
		}
		value, known := patternValue(j, rest[digits], user)
		if !known {
			value = "%" + rest[:digits+1]
		} else if pad, _ := strconv.Atoi(rest[:digits]); pad > 0 && value != "" && value[0] >= '0' && value[0] <= '9' {
			value = strings.Repeat("0", max(min(pad, maxPad)-len(value), 0)) + value
		}
		b.WriteString(value)
		name = rest[digits+1:]
	}
}

func patternValue(j command.ShownJob, letter byte, user string) (value string, known bool) {
	task, isTask := j["ArrayTaskId"]
	switch letter {
	case '%':
		return "%", true
	case 'A':
		if isTask {
			return j["ArrayJobId"], true
		}
		return j["JobId"], j["JobId"] != ""
	case 'a':
		if !isTask {
			task = waitingTask
		}
		return task, true
	case 'b':
		n, err := strconv.Atoi(task)
		return strconv.Itoa(n % 10), err == nil
	case 'j':
		return j["JobId"], j["JobId"] != ""
	case 'N':
		short, _, _ := strings.Cut(j["BatchHost"], ".")
		return short, short != ""
	case 'n', 't':
		return "0", true
	case 'u':
		return user, true
	case 'x':
		return j["JobName"], true
	}
	return "", false
}
