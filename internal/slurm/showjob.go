package slurm

import (
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

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
	for _, r := range command.RecordsOf(out, command.JobLine) {
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

// gresLines reads the lines about GPUs. They are indented further, and printed between the user and the command. A
// record that seems to have two users has no such lines.
func gresLines(r command.Record) (lines []gresLine) {
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
	for _, item := range notation.SplitGRES(list) {
		minors, count, err := notation.ParseGRES(item)
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
