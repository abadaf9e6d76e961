package output

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/output/report/advice"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// accountingRows returns what SLURM has counted for a job.
func accountingRows(r *report.Report, zone *time.Location) [][2]string {
	a := r.Accounting
	out := [][2]string{{"Time", timeText(r, zone)}}
	add := func(name, value string) {
		if value != "" {
			out = append(out, [2]string{name, value})
		}
	}
	add("Nodes", nodeList(a))
	add("CPU", cpuTime(a))
	add("Host memory", hostMemory(a))
	add("GPUs", gpuText(a))
	add("GPU-hours", gpuHoursText(a.GPUHours))
	if a.GPUUtilMost != nil {
		add("GPU utilization", "at most "+advice.PercentText(*a.GPUUtilMost)+": SLURM keeps each task's highest sample")
	}
	if a.GPUMemory != nil {
		add("GPU memory", fmt.Sprintf("peak %s of a task", advice.SizeText(*a.GPUMemory)))
	}
	if a.Energy != nil {
		add("Energy", kWh(*a.Energy)+", whole nodes")
	}
	add("Earlier runs", earlierRuns(a.Earlier))
	return out
}

// mostEarlier is how many earlier runs the text shows.
const mostEarlier = 3

// earlierRuns describes the runs before the one that the report covers.
func earlierRuns(runs []report.Run) string {
	if len(runs) == 0 {
		return ""
	}
	hours, ran := 0.0, 0.0
	var each []string
	for i := range runs {
		r := &runs[i]
		ran += r.Elapsed
		if r.GPUHours != nil {
			hours += *r.GPUHours
		}
		if i < mostEarlier {
			each = append(each, strings.TrimSpace(fmt.Sprintf("%s after %s on %s", r.State, advice.SpanText(r.Elapsed),
				r.NodeList)))
		}
	}
	s := text.Count(len(runs), "run") + ", " + advice.SpanText(ran)
	if hours > 0 {
		s += fmt.Sprintf(", %.2f GPU-hours", hours)
	}
	s += ": " + strings.Join(each, "; ")
	if more := len(runs) - len(each); more > 0 {
		s += fmt.Sprintf("; and %d more", more)
	}
	return s
}

// timeText returns the time of a job: how long it ran, out of how much, and from when to when.
func timeText(r *report.Report, zone *time.Location) string {
	a := r.Accounting
	if r.Job.Start.IsZero() {
		s, again := "it has not begun", ""
		if len(a.Earlier) > 0 {
			s, again = "it has not begun again", "it did not run again"
		}
		if !r.Job.End.IsZero() {
			s = cmp.Or(again, "it never ran") + ": it ended at " + r.Job.End.In(zone).Format("2006-01-02 15:04:05")
		}
		if a.Waited != nil {
			s += ", after a wait of " + advice.SpanText(*a.Waited)
		}
		return s
	}
	s := advice.SpanText(a.Elapsed)
	if limit := r.Job.Limit; limit > 0 {
		s += fmt.Sprintf(" of %s (%s)", advice.SpanText(limit), advice.PercentText(100*a.Elapsed/limit))
	}
	if from := r.Job.Start.In(zone); !r.Job.Start.IsZero() {
		s += ", " + from.Format("2006-01-02 15:04:05") + " to "
		if r.Job.End.IsZero() {
			s += "now"
		} else {
			s += advice.ClockText(r.Job.End.In(zone), from)
		}
	}
	if a.Waited != nil {
		s += ", waited " + advice.SpanText(*a.Waited)
	}
	return s
}

// nodeList returns the nodes of a job, as far as SLURM gives them.
func nodeList(a *report.Accounting) string {
	list := a.NodeList
	if list == "None assigned" {
		list = ""
	}
	switch {
	case a.Nodes == 0:
		return list
	case list == "":
		return text.Count(a.Nodes, "node")
	}
	return text.Count(a.Nodes, "node") + ": " + list
}

func cpuTime(a *report.Accounting) string {
	if a.CPUs == 0 {
		return ""
	}
	s := text.Count(a.CPUs, "CPU")
	if a.CPU == nil {
		return s
	}
	return fmt.Sprintf("%s, used %s: %s of %s", s, advice.PercentText(a.CPU.Percent), advice.SpanText(a.CPU.Used),
		advice.SpanText(a.CPU.Given))
}

func hostMemory(a *report.Accounting) string {
	m := a.Memory
	if m == nil {
		return ""
	}
	s := "peak " + advice.SizeText(m.Peak)
	if limit := a.OutOfMemoryLimit; limit != nil && m.Limit != nil {
		return fmt.Sprintf("step %s needed more than its %s of the job's %s: the kernel killed a process",
			a.OutOfMemory, advice.SizeText(*limit), advice.SizeText(*m.Limit))
	}
	if a.OutOfMemory != "" && m.Limit != nil && m.Peak < *m.Limit {
		return fmt.Sprintf("more than its %s: the kernel killed a process; the last sample saw %s",
			advice.SizeText(*m.Limit), advice.SizeText(m.Peak))
	}
	if m.Limit != nil && *m.Limit > 0 {
		s += fmt.Sprintf(" of %s (%s)", advice.SizeText(*m.Limit), advice.PercentText(100*float64(m.Peak)/float64(*m.Limit)))
	}
	if m.At != nil {
		s += " on " + m.At.String()
	}
	return s
}

func gpuText(a *report.Accounting) string {
	if a.GPUs == nil {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", *a.GPUs, a.Model))
}

func gpuHoursText(h *report.Shares) string {
	switch {
	case h == nil:
		return ""
	case h.UsedMost == nil || h.WastedLeast == nil:
		return fmt.Sprintf("%.2f given, use not known", h.Given)
	}
	return fmt.Sprintf("%.2f given, at most %.2f used, at least %.2f wasted", h.Given, *h.UsedMost, *h.WastedLeast)
}

// costText is what a job has cost.
func costText(c *report.Cost) string {
	if c == nil {
		return ""
	}
	var parts []string
	add := func(v *float64, format string, args ...any) {
		if v != nil {
			parts = append(parts, strings.TrimSpace(fmt.Sprintf(format, append([]any{*v}, args...)...)))
		}
	}
	add(c.GPUHours, "%.2f %s for GPU-hours", c.Currency)
	add(c.Energy, "%.2f %s for energy", c.Currency)
	add(c.CO2, "%.3g kg of CO₂")
	return strings.Join(parts, ", ")
}

func sourceLines(r *report.Report) (out []string) {
	said := map[string]string{report.FromWatch: "watched by nvnodetop", report.FromRecording: "recording",
		report.FromAccounting: "SLURM's accounting (sacct)"}
	for _, s := range r.Sources {
		line := said[s.From]
		if s.File != "" {
			line += fmt.Sprintf(" %q", s.File)
		}
		out = append(out, line+": "+s.Parts)
	}
	return out
}

// mostSteps is how many steps the text shows.
const mostSteps = 20

func stepGrid(r *report.Report) titledTable {
	g := newTable("Steps", 4, "Step", "Program", "State", "Code", "Elapsed", "Tasks", "CPU time", "Task memory",
		"GPU util")
	g.spares("Tasks", "CPU time")
	if r.Accounting == nil {
		return g
	}
	for i := range r.Accounting.Steps {
		s := &r.Accounting.Steps[i]
		if i == mostSteps {
			more := len(r.Accounting.Steps) - mostSteps + r.Accounting.MoreSteps
			g.Rows = append(g.Rows, []string{fmt.Sprintf("%d more", more), "", "", "", "", "", "", "", ""})
			break
		}
		code := advice.UnknownText
		if s.Code != nil {
			code = strconv.Itoa(*s.Code)
		}
		if s.Signal != 0 {
			code += fmt.Sprintf(", signal %d", s.Signal)
		}
		row := []string{s.Name, s.Program, s.State, code, advice.SpanText(s.Elapsed), advice.UnknownText,
			advice.UnknownText, advice.UnknownText, advice.UnknownText}
		if s.Tasks > 0 {
			row[5] = strconv.Itoa(s.Tasks)
		}
		if s.CPU != nil {
			row[6] = advice.SpanText(*s.CPU)
		}
		if s.Memory != nil {
			row[7] = advice.SizeText(*s.Memory)
		}
		row[8] = mostOr(s.GPUUtilMost)
		g.Rows = append(g.Rows, row)
	}
	return g
}
