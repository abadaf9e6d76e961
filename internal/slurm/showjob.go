package slurm

import (
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/slurm/gres"
	"github.com/nvnodetop/nvnodetop/internal/slurm/scontrol"
)

// shown is a job of `scontrol show job`, by key.
type shown map[string]string

// statusLines are the lines of a job that are printed before all texts of its owner but the name: the keys that begin
// them, of which there is one, and those that are read. The keys of other lines are not read.
var statusLines = []struct{ first, keys []string }{
	{[]string{"SLUID"}, []string{"SLUID"}},
	{[]string{"UserId"}, []string{"UserId"}},
	{[]string{"JobState"}, []string{"JobState", "Reason"}},
	{[]string{"Requeue"}, []string{"Restarts", "BatchFlag", "ExitCode"}},
	{[]string{"StartTime"}, []string{"StartTime", "EndTime"}},
	{[]string{"BatchHost", "BatchFeatures"}, []string{"BatchHost"}},
}

// texts are the keys of lines with texts of users and admins, for the message that names them.
var texts = []string{"Features", "OverSubscribe", "Command", "SubmitLine", "AdminComment", "SystemComment",
	"Comment", "Extra", "BurstBuffer"}

// unsure begins the value of a key that scontrol seems to show twice. The texts that may have one of them follow.
const unsure = "\x00"

// parseShown reads the output of `scontrol show job`.
func parseShown(out []byte) []shown {
	var jobs []shown
	for _, r := range scontrol.Records(out, scontrol.Job) {
		jobs = append(jobs, readJob(r))
	}
	return jobs
}

// readJob reads a record.
func readJob(r scontrol.Record) shown {
	j := shown{}
	head, name, _ := strings.Cut(r[0].Text, "JobName=")
	for key, value := range (scontrol.Line{Key: r[0].Key, Text: head}).Fields() {
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
				j[key] = unsure + holders(r, at)
			}
		}
	}
	j.readWorkDir(r)
	j.readFiles(r)
	return j
}

// readLine reads the fields of a line.
func (j shown) readLine(l scontrol.Line, keys []string) {
	for key, value := range l.Fields() {
		if slices.Contains(keys, key) {
			j[key] = value
		}
	}
}

// placesOf returns where a line is that is printed before the command. There is more than one if it cannot be told from
// a text of the job.
func placesOf(r scontrol.Record, keys []string) []int {
	if len(r.All("Command")) == 1 {
		r = r.Before("Command")
	}
	return r.All(keys...)
}

// readWorkDir reads the directory, which is printed between the command line and the comments.
func (j shown) readWorkDir(r scontrol.Record) {
	at := r.All("WorkDir")
	if command := r.All("Command"); len(command) == 1 {
		at = slices.DeleteFunc(at, func(i int) bool { return i < command[0] })
	}
	if len(at) == 0 {
		return
	}
	last := at[len(at)-1]
	if j["WorkDir"] = r[last].Text; len(at) > 1 &&
		slices.ContainsFunc(r[at[0]:last], func(l scontrol.Line) bool { return isComment(l.Key) }) {
		j["WorkDir"] = unsure + holders(r, at)
	}
}

// isComment reports whether a text is printed after the directory.
func isComment(key string) bool { return strings.HasSuffix(key, "Comment") || key == "Extra" }

// readFiles reads the files of a batch script, which are printed one below the other, after all texts but that of a burst
// buffer.
func (j shown) readFiles(r scontrol.Record) {
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
		j["StdOut"] = unsure + holders(r, all)
	}
	for i := last - 1; i >= last-2 && i > 0; i-- {
		if r[i].Key == "StdErr" {
			j["StdErr"] = r[i].Text
		}
	}
}

// holders names the texts that may have these lines: the last one before each.
func holders(r scontrol.Record, at []int) string {
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

// gresLine is one line of `scontrol show job -d`: the GPUs of a job on some of its nodes.
type gresLine struct {
	nodes   string // in SLURM's notation
	minors  []int  // nil: it does not say which GPUs
	count   int
	counted bool // false: it does not say how many GPUs either, or has shares of GPUs
}

// parseShowJob returns the lines of each job by its number, from the output of `scontrol show job -d`. A user can write
// anything into the name of a job, which is printed raw. So a number that occurs twice has no lines: either of the two
// records may be forged.
func parseShowJob(out []byte) map[string][]gresLine {
	jobs := map[string][]gresLine{}
	twice := map[string]bool{}
	for _, r := range scontrol.Records(out, scontrol.Job) {
		number, _, _ := strings.Cut(r[0].Text, " ")
		if _, known := jobs[number]; known {
			twice[number] = true
		}
		jobs[number] = gresLines(r)
	}
	for number := range twice {
		jobs[number] = nil
	}
	return jobs
}

// gresLines reads the lines about GPUs, which are further indented, and printed between the user and the command. A
// record that seems to have two users has none.
func gresLines(r scontrol.Record) (lines []gresLine) {
	r = r.Before("Command")
	switch users := r.All("UserId"); len(users) {
	case 0:
		r = r[1:]
	case 1:
		r = r[users[0]:]
	default:
		return nil
	}
	for _, l := range r {
		for text := range strings.SplitSeq(l.Text, "\n") {
			if rest, ok := strings.CutPrefix(text, "     Nodes="); ok {
				if g, ok := parseGresLine(rest); ok {
					lines = append(lines, g)
				}
			}
		}
	}
	return lines
}

// parseGresLine reads "node[01-03,07] CPU_IDs=16 Mem=0 GRES=gpu:a100:4(IDX:0-3)".
func parseGresLine(s string) (gresLine, bool) {
	nodes, rest, _ := strings.Cut(s, " ")
	_, list, ok := strings.Cut(rest, "GRES=")
	if !ok {
		return gresLine{}, false
	}
	l := gresLine{nodes: nodes, minors: []int{}, counted: true}
	named := true
	for _, item := range gres.Split(list) {
		minors, count, err := gres.Parse(item)
		l.counted = l.counted && err == nil
		named = named && len(minors) == count
		l.minors, l.count = append(l.minors, minors...), l.count+count
	}
	if !l.counted {
		l.count = 0
	}
	if !l.counted || !named {
		l.minors = nil
	}
	return l, true
}
