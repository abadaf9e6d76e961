// Package plain says the state of the jobs in sentences, one fact a line, for screen readers and grep. Each line begins
// with what it is about, and can be read alone: there are no tables, bars or colors.
package plain

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// Lines returns all that is known: each job, its problems, its nodes with their GPUs and processes, and at the end the
// jobs that wait. Only the chosen GPUs and their processes are named.
func Lines(s *cluster.Snapshot, only tally.Only) (lines []string) {
	lines = append(lines, aboutSLURM(s)...)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		lines = append(lines, jobLine(s, j))
		for k := range j.Findings {
			if f := &j.Findings[k]; f.Holds() {
				lines = append(lines, problemLine(s, j, f))
			}
		}
		for _, name := range j.Nodes {
			lines = append(lines, nodeLines(s, j, tally.Node(s, name), only)...)
		}
	}
	for i := range s.Discovery.Pending {
		lines = append(lines, pendingLine(&s.Discovery.Pending[i]))
	}
	return lines
}

// aboutSLURM says what is wrong with the list of jobs, or that there are none.
func aboutSLURM(s *cluster.Snapshot) (lines []string) {
	if f := s.Discovery.Failure; f != nil {
		lines = append(lines, "SLURM: "+f.Summary()+".")
	}
	if len(s.Jobs) == 0 && !s.Discovery.Answered.IsZero() {
		lines = append(lines, "SLURM: no job of "+cmp.Or(s.Discovery.User, "yours")+" runs.")
	}
	return lines
}

// jobName names a job; a list of hosts is none.
func jobName(id, name string) string {
	if id == "" {
		return "all hosts"
	}
	return strings.TrimSpace("job " + id + " " + name)
}

func jobLine(s *cluster.Snapshot, j *cluster.JobView) string {
	facts := []string{reporting(j.Reporting, len(j.Nodes), "node")}
	if j.GPUs > 0 {
		facts = append(facts, reporting(j.GPUsSeen, j.GPUs, "GPU"))
	}
	switch {
	case j.Suspended:
		facts = append([]string{"is suspended"}, facts...)
	case !j.Start.IsZero():
		facts = append([]string{"has been running for " + text.Span(s.At.Sub(j.Start))}, facts...)
	}
	if !j.End.IsZero() {
		facts = append(facts, text.Span(j.End.Sub(s.At))+" left")
	}
	if t := tally.Total(tally.Fresh(s, j)); t.Util.Count > 0 {
		facts = append(facts, fmt.Sprintf("mean utilization %.0f %%", t.Util.Value))
	}
	facts = append(facts, say.Progress(j, s.At)...)
	return jobName(j.ID, j.Name) + ": " + strings.Join(facts, ", ") + "."
}

// reporting says how many of the job's nodes or GPUs report.
func reporting(n, of int, noun string) string {
	switch {
	case n == 1 && of == 1:
		return "its " + noun + " reports"
	case n == of:
		return fmt.Sprintf("all %d %ss report", of, noun)
	}
	return fmt.Sprintf("%d of %s report", n, text.Plural(of, noun, noun+"s"))
}

// place names what a finding is about.
func place(j *cluster.JobView, f *cluster.Finding) string {
	switch {
	case f.Node == "":
		return jobName(j.ID, j.Name)
	case f.GPU == cluster.NoNumber && f.Key == "":
		return f.Node
	case f.GPU == cluster.NoNumber:
		return f.Node + " GPU " + f.Key
	}
	return fmt.Sprintf("%s GPU %d", f.Node, f.GPU)
}

// problemLine is a problem with its severity, its age, and what to do.
func problemLine(s *cluster.Snapshot, j *cluster.JobView, f *cluster.Finding) string {
	words := say.Finding(s, f)
	since := ""
	switch age := text.Span(s.At.Sub(f.Since)); {
	case f.Since.IsZero():
	case f.Before:
		since = " for longer than " + age
	default:
		since = " for " + age
	}
	line := place(j, f) + ": " + f.Severity.String() + since + ": " + words.Sentence
	if words.Hint != "" {
		line += " To do: " + words.Hint + "."
	}
	return line
}

func nodeLines(s *cluster.Snapshot, j *cluster.JobView, n *cluster.Node, only tally.Only) (lines []string) {
	if n.State != cluster.NodeReporting || !tally.HasNumbers(n) {
		return []string{silentNode(n)}
	}
	facts := []string{"reports"}
	if v, known := n.Host.Get(metric.CPU); known {
		facts = append(facts, fmt.Sprintf("CPU %.0f %%", v))
	}
	if part := ofTotal(&n.Host, metric.HostMemoryUsed, metric.HostMemoryTotal); part != "" {
		facts = append(facts, "host memory "+part)
	}
	lines = append(lines, n.Name+": "+strings.Join(facts, ", ")+".")
	for _, g := range tally.Own(j, n) {
		if only.Shows(g) {
			lines = append(lines, gpuLine(n, g))
		}
	}
	list, _ := tally.Processes(j, n)
	for i := range list {
		if p := &list[i]; p.Own && (p.On == nil || only.Shows(p.On)) {
			lines = append(lines, processLine(n, p))
		}
	}
	return lines
}

// silentNode says why a node has no numbers.
func silentNode(n *cluster.Node) string {
	line := n.Name + ": does not report"
	if n.State == cluster.NodeConnecting && n.Failure == nil {
		line = n.Name + ": is connecting"
	}
	if n.Failure != nil {
		line += ": " + n.Failure.Summary()
	}
	if !n.Arrived.IsZero() {
		line += ", last seen " + n.Arrived.Format(time.TimeOnly)
	}
	return line + "."
}

// reader has values of metrics.
type reader interface {
	Get(id metric.ID) (float64, bool)
}

// ofTotal is a part of an amount of bytes: "41 of 80 GiB"; "" if one of them is not known.
func ofTotal(of reader, used, total metric.ID) string {
	u, known := of.Get(used)
	t, sized := of.Get(total)
	if !known || !sized {
		return ""
	}
	return fmt.Sprintf("%s of %s GiB", draw.GiB(uint64(u)), draw.GiB(uint64(t)))
}

// gpuNumbers are the numbers of a GPU that its line has.
var gpuNumbers = []struct {
	id   metric.ID
	text string
}{{metric.Temperature, "%.0f °C"}, {metric.Power, "%.0f W"}, {metric.SMClock, "SM clock %.0f MHz"}}

func gpuLine(n *cluster.Node, g *cluster.GPU) string {
	line := n.Name + " GPU " + tally.NumberText(g) + ": "
	if !g.Reports() {
		why := "does not answer"
		if lost := tally.Lost(g); lost != "" {
			why = "lost (" + lost + ")"
		}
		return line + why + "."
	}
	var facts []string
	if v, known := g.Get(metric.Util); known {
		facts = append(facts, fmt.Sprintf("utilization %.0f %%", v))
	}
	if part := ofTotal(g, metric.MemoryUsed, metric.MemoryTotal); part != "" {
		facts = append(facts, "memory "+part)
	}
	for _, number := range gpuNumbers {
		if v, known := g.Get(number.id); known {
			facts = append(facts, fmt.Sprintf(number.text, v))
		}
	}
	if r := tally.Rank(n, g); r != nil {
		facts = append(facts, fmt.Sprintf("rank %d", r.Rank))
	}
	if len(facts) == 0 {
		facts = []string{"reports no number"}
	}
	return line + strings.Join(facts, ", ") + "."
}

func processLine(n *cluster.Node, p *tally.Process) string {
	facts := []string{fmt.Sprintf("process %d", p.PID)}
	if p.User != "" {
		facts[0] += " of " + p.User
	}
	if p.Rank != nil {
		facts = append(facts, fmt.Sprintf("rank %d", p.Rank.Rank))
	}
	if p.GPUMemory != nil {
		facts = append(facts, "GPU memory "+draw.GiB(*p.GPUMemory)+" GiB")
	}
	if p.CPUPercent != nil {
		facts = append(facts, fmt.Sprintf("CPU %.0f %%", *p.CPUPercent))
	}
	if command := cmp.Or(p.Command, p.Name); command != "" {
		facts = append(facts, "command "+command)
	}
	return fmt.Sprintf("%s GPU %s: %s.", n.Name, processGPU(p), strings.Join(facts, ", "))
}

func processGPU(p *tally.Process) string {
	if p.On != nil {
		return tally.NumberText(p.On)
	}
	return fmt.Sprint(p.Number)
}

func pendingLine(p *cluster.PendingJob) string {
	facts := []string{"waits"}
	if p.Reason != "" {
		facts[0] += ": " + p.Reason
	}
	facts = append(facts, text.Plural(p.Nodes, "node", "nodes"))
	if p.GPUs != nil {
		facts = append(facts, text.Plural(*p.GPUs, "GPU", "GPUs"))
	}
	if !p.Start.IsZero() {
		facts = append(facts, "may start at "+p.Start.Format(time.DateTime))
	}
	return jobName(p.ID, p.Name) + ": " + strings.Join(facts, ", ") + "."
}
