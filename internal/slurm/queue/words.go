package queue

import (
	"fmt"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// Text says why the job waits: what is ahead of it, and when SLURM would start its shape and smaller ones.
func (q *Wait) Text(at time.Time) string {
	return fmt.Sprintf("job %s waits in partition %s: SLURM's reason is %s\n", q.Job, q.Partition, q.Reason) +
		strings.Join(q.Answers(at), "\n") + "\n"
}

// Answers are the lines of the text below the first.
func (q *Wait) Answers(at time.Time) []string {
	lines := []string{"start: SLURM has no estimate"}
	if !q.Start.IsZero() {
		lines[0] = fmt.Sprintf("start: %s, as SLURM estimates", describeStart(q.Start, at))
	}
	for _, line := range []string{describeAhead(q), describePriority(q)} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	for i := range q.Trials {
		lines = append(lines, nameTrial(q.Trials, i)+": "+describeAnswer(&q.Trials[i], at))
	}
	return lines
}

// describeAhead says how many jobs come first; "" if it is not known.
func describeAhead(q *Wait) string {
	if q.Ahead == nil {
		return ""
	}
	line := "ahead: no job that you may see"
	if q.Ahead.Jobs > 0 {
		line = fmt.Sprintf("ahead: %s for %s", text.Count(q.Ahead.Jobs, "job"), text.Count(q.Ahead.Nodes, "node"))
	}
	if q.Ahead.Blocked > 0 {
		line += fmt.Sprintf("; %d more with a higher priority wait for something else", q.Ahead.Blocked)
	}
	return line
}

// describePriority says what the priority is made of; "" if it is not known.
func describePriority(q *Wait) string {
	if len(q.Factors) == 0 {
		return ""
	}
	var parts []string
	for _, f := range q.Factors {
		parts = append(parts, fmt.Sprintf("%s %.0f", f.Name, f.Value))
	}
	return fmt.Sprintf("priority: %d: %s", q.Priority, strings.Join(parts, ", "))
}

// nameTrial names a trial: the first has the shape of the job, the others say what is smaller.
func nameTrial(all []Trial, i int) string {
	own, s := describeParts(&all[0].Shape), describeParts(&all[i].Shape)
	var parts []string
	for k := range s {
		if s[k] != "" && (i == 0 || s[k] != own[k]) {
			parts = append(parts, s[k])
		}
	}
	if i == 0 {
		return "submitted again as it is (" + strings.Join(parts, ", ") + ")"
	}
	return "submitted again with " + strings.Join(parts, ", ")
}

// describeParts describes the parts of a shape; "": it does not have that part.
func describeParts(s *Shape) (parts [5]string) {
	if s.Nodes > 0 {
		parts[0] = text.Count(s.Nodes, "node")
	}
	if s.PerNode != "" {
		parts[1] = s.PerNode + " on each"
	}
	if s.Total != "" {
		parts[2] = "gpu:" + s.Total + " in total"
	}
	if s.Limit > 0 {
		parts[3] = text.Span(s.Limit)
	}
	if s.On != "" {
		parts[4] = "with " + s.On
	}
	return parts
}

// describeAnswer says when a trial would start.
func describeAnswer(t *Trial, at time.Time) string {
	if t.Refused != "" {
		return "not at all: " + t.Refused
	}
	return describeStart(t.Start, at) + ", on " + t.Nodes
}

// atOnce is the time within which a start is one without a wait: SLURM starts jobs every few seconds.
const atOnce = 30 * time.Second

// describeStart says when something starts: "now", or "22:12:27, in 59m 58s".
func describeStart(start, at time.Time) string {
	in := start.Sub(at)
	if in < atOnce {
		return "now"
	}
	format := time.TimeOnly
	if in > 12*time.Hour {
		format = time.DateTime
	}
	return start.Format(format) + ", in " + text.Span(in)
}
