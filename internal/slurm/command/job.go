package command

import (
	"slices"
	"strings"
)

// statusLines are the lines of a job that scontrol prints before all texts of the job's owner except the name. first
// are the keys that may begin the line, exactly one of which does; keys are those that are read. The keys of other
// lines are not read.
var statusLines = []struct{ first, keys []string }{
	{[]string{"SLUID"}, []string{"SLUID"}},
	{[]string{"UserId"}, []string{"UserId"}},
	{[]string{"Priority"}, []string{"Priority"}},
	{[]string{"JobState"}, []string{"JobState", "Reason"}},
	{[]string{"Requeue"}, []string{"Restarts", "BatchFlag", "ExitCode"}},
	{[]string{"StartTime"}, []string{"StartTime", "EndTime"}},
	{[]string{"BatchHost", "BatchFeatures"}, []string{"BatchHost"}},
}

// texts are the keys of lines with texts of users and admins; a message names them.
var texts = []string{"Features", "OverSubscribe", "Command", "SubmitLine", "AdminComment", "SystemComment",
	"Comment", "Extra", "BurstBuffer"}

// UnsureText begins the value of a key that scontrol seems to show twice. The names of the texts that may contain one
// of the two follow.
const UnsureText = "\x00"

// ShownJob is a job from `scontrol show job`, by key. If the value of a key cannot be told from a text, it begins with
// Unsure.
type ShownJob map[string]string

// ShownJobs reads the output of `scontrol show job`.
func ShownJobs(out []byte) []ShownJob {
	var jobs []ShownJob
	for _, r := range RecordsOf(out, JobLine) {
		jobs = append(jobs, readJob(r))
	}
	return jobs
}

// LacksJob reports whether `scontrol show job` says that there is no such job.
func LacksJob(stdout, stderr []byte) bool {
	said := string(stdout) + string(stderr) // 22.05 prints "Job 46_9 not found" to standard output
	return strings.Contains(said, "Invalid job id") || strings.Contains(said, "not found")
}

// Is reports whether the record has this number, or this ID in squeue's notation.
func (j ShownJob) Is(id string) bool {
	return id == j["JobId"] || id == j["ArrayJobId"]+"_"+j["ArrayTaskId"] || id == j["HetJobId"]+"+"+j["HetJobOffset"]
}

// ID returns the ID of the job, as squeue prints it.
func (j ShownJob) ID() string {
	switch {
	case j["ArrayTaskId"] != "":
		return j["ArrayJobId"] + "_" + j["ArrayTaskId"]
	case j["HetJobOffset"] != "":
		return j["HetJobId"] + "+" + j["HetJobOffset"]
	}
	return j["JobId"]
}

// WaitsForTasks reports whether the record stands for all waiting tasks of an array.
func (j ShownJob) WaitsForTasks() bool { return strings.ContainsAny(j["ArrayTaskId"], "-,%") }

// readJob returns the values of a job.
func readJob(r Record) ShownJob {
	j := ShownJob{}
	head, name, _ := strings.Cut(r[0].Text, "JobName=")
	for key, value := range (RecordLine{Key: r[0].Key, Text: head}).Fields() {
		j[key] = value
	}
	j["JobName"] = name
	for _, line := range statusLines {
		at := placesOf(r, line.first)
		for _, i := range at {
			j.readLine(r[i], line.keys)
		}
		if len(at) > 1 {
			for _, key := range line.keys {
				j[key] = UnsureText + textsBefore(r, at)
			}
		}
	}
	j.readWorkDir(r)
	j.readFiles(r)
	return j
}

// readLine reads the fields of a line.
func (j ShownJob) readLine(l RecordLine, keys []string) {
	for key, value := range l.Fields() {
		if slices.Contains(keys, key) {
			j[key] = value
		}
	}
}

// placesOf returns the indices of a line that is printed before the command. There is more than one if the line cannot
// be told from a text of the job.
func placesOf(r Record, keys []string) []int {
	if len(r.All("Command")) == 1 {
		r = r.Before("Command")
	}
	return r.All(keys...)
}

// readWorkDir reads the directory, which is printed between the command line and the comments.
func (j ShownJob) readWorkDir(r Record) {
	at := r.All("WorkDir")
	if command := r.All("Command"); len(command) == 1 {
		at = slices.DeleteFunc(at, func(i int) bool { return i < command[0] })
	}
	if len(at) == 0 {
		return
	}
	last := at[len(at)-1]
	if j["WorkDir"] = r[last].Text; len(at) > 1 &&
		slices.ContainsFunc(r[at[0]:last], func(l RecordLine) bool { return isComment(l.Key) }) {
		j["WorkDir"] = UnsureText + textsBefore(r, at)
	}
}

// isComment reports whether a text is printed after the directory.
func isComment(key string) bool { return strings.HasSuffix(key, "Comment") || key == "Extra" }

// readFiles reads the files of a batch script. They are printed one below the other, after all texts except that of a
// burst buffer.
func (j ShownJob) readFiles(r Record) {
	if j["BatchFlag"] == "0" {
		return
	}
	var all []int
	for _, at := range r.All("StdOut") {
		if at > 1 && r[at-1].Key == "StdIn" && r[at-2].Key == "StdErr" {
			all = append(all, at)
		}
	}
	if len(all) == 0 {
		all = r.All("StdOut")
	}
	if len(all) == 0 {
		return
	}
	last := all[len(all)-1]
	j["StdOut"] = r[last].Text
	if len(all) > 1 && len(r[all[0]:last].All("BurstBuffer")) > 0 {
		j["StdOut"] = UnsureText + textsBefore(r, all)
	}
	for i := last - 1; i >= last-2 && i > 0; i-- {
		if r[i].Key == "StdErr" {
			j["StdErr"] = r[i].Text
		}
	}
}

// textsBefore names the texts that may contain these lines: for each line, the last text before it.
func textsBefore(r Record, at []int) string {
	var names []string
	for _, i := range at {
		name := "JobName"
		if before := r[:i].All(texts...); len(before) > 0 {
			name = r[before[len(before)-1]].Key
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}
