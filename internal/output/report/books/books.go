// Package books turns what SLURM's accounting says about jobs into reports: of one job, or a list of several. It is
// pure. It also computes what a job has cost at the prices of its site.
package books

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/output/report/advice"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Make returns the report of a job that nobody watched. now is the time of SLURM's answer.
func Make(j *sacct.Job, now time.Time) *report.Report {
	r := &report.Report{Version: report.Version, Job: describeJob(j), Nodes: []report.Node{}, Findings: []report.Finding{}}
	r.Accounting = makeAccounting(j, now)
	a := r.Accounting
	r.Total.Nodes = a.Nodes
	if a.GPUs != nil {
		r.Total.GPUs = *a.GPUs
	}
	if a.GPUHours != nil {
		r.Total.Hours.Given = a.GPUHours.Given
	}
	r.Sources = []report.Source{{From: report.FromAccounting, Parts: "all numbers"}}
	r.Advice = advice.Of(r)
	if r.Notes = append(accountingNotes(r), impossibleNotes(j)...); j.Ran() {
		r.Notes = append(r.Notes, report.Note{Kind: noteUnwatched, Text: "Nobody watched this job: what each GPU did " +
			"is not known. Next time: nvnodetop report JOB while it runs, or nvnodetop record."})
	}
	return r
}

// Join adds what SLURM has counted to the report of a job that was watched, or recorded to a file. It reports false if
// it is another job with the same ID, as another cluster may have.
func Join(r *report.Report, j *sacct.Job, from, file string, now time.Time) bool {
	const same = 2 * time.Minute
	if j.User != r.Job.User || j.Start.Sub(r.Job.Start).Abs() > same {
		return false
	}
	r.Accounting = makeAccounting(j, now)
	was := r.Job
	if r.Job = describeJob(j); was.State != r.Job.State && !hasEnded(j) {
		r.Job.State, r.Job.Code, r.Job.Signal = was.State, was.Code, was.Signal
	}
	r.Job.ID, r.Job.Limit = was.ID, cmp.Or(was.Limit, r.Job.Limit)
	r.Sources = []report.Source{
		{From: from, Parts: "nodes, GPUs, ranks, problems", File: file},
		{From: report.FromAccounting, Parts: "time, CPU time, memory of tasks, steps"},
	}
	r.Advice = advice.Of(r)
	r.Notes = append(r.Notes, impossibleNotes(j)...)
	return true
}

func hasEnded(j *sacct.Job) bool { return !j.End.IsZero() }

// describeJob describes a job.
func describeJob(j *sacct.Job) report.Job {
	out := report.Job{ID: safeLine(j.ID), Name: safeLine(j.Name), User: safeLine(j.User), Account: safeLine(j.Account),
		QOS:       safeLine(j.QOS),
		Partition: safeLine(j.Partition), Submit: j.Submit, Start: j.Start, End: j.End, Limit: j.Limit.Seconds(),
		State: safeLine(j.State)}
	if j.Number != j.ID {
		out.Number = safeLine(j.Number)
	}
	if !j.Ran() {
		out.Start = time.Time{}
	}
	if hasEnded(j) && j.Ran() {
		out.Code, out.Signal = exitStatus(j.Code, j.Signal)
	}
	return out
}

// exitStatus returns how a job or a step exited: not at all, if the kernel killed it because of its memory.
func exitStatus(code, signal int) (*int, int) {
	if signal == sacct.MarkOutOfMemory {
		return nil, 0
	}
	return &code, signal
}

// safeLine makes a text safe to display. The owner of a job chooses the names of the job and its steps.
func safeLine(s string) string { return safe.Line(s, 256) }

// maxSteps is the number of steps in a report.
const maxSteps = 100

func makeAccounting(j *sacct.Job, now time.Time) *report.Accounting {
	a := &report.Accounting{Elapsed: j.Elapsed.Seconds(), Nodes: j.Nodes, NodeList: safe.Line(j.NodeList, 1024),
		CPUs: j.CPUs, Model: safeLine(j.Model), PerCPU: j.Memory.PerCPU, OutOfMemory: safeLine(j.OutOfMemory())}
	if !j.Ran() {
		a.NodeList = ""
	}
	for i := range j.Earlier[:min(len(j.Earlier), mostRuns)] {
		a.Earlier = append(a.Earlier, makeRun(&j.Earlier[i]))
	}
	begin := j.Start
	if !j.Ran() { // it waited until it was canceled, or is still waiting
		begin = cmp.Or(j.End, now)
	}
	if !j.Submit.IsZero() && !begin.Before(j.Submit) {
		a.Waited = new(metric.Round(begin.Sub(j.Submit).Seconds(), 0))
	}
	for i := range j.Steps {
		a.Tasks = max(a.Tasks, j.Steps[i].Tasks)
	}
	a.CPU = cpuTime(j)
	a.Memory, a.OutOfMemoryLimit = estimateMemory(j), killedWithin(j)
	addGPUs(a, j)
	if joules := nodeEnergy(j); joules > 0 {
		a.Energy = new(metric.Round(joules/3.6e6, 6))
	}
	for i := range j.Steps {
		if len(a.Steps) == maxSteps {
			a.MoreSteps = len(j.Steps) - maxSteps
			break
		}
		a.Steps = append(a.Steps, makeStep(&j.Steps[i]))
	}
	return a
}

// mostRuns limits how many earlier runs are in a report.
const mostRuns = 100

func makeRun(j *sacct.Job) report.Run {
	r := report.Run{State: safeLine(j.State), Start: j.Start, End: j.End, Elapsed: j.Elapsed.Seconds(), Nodes: j.Nodes,
		NodeList: safe.Line(j.NodeList, 1024)}
	if j.CountsGPUs {
		r.GPUHours = new(metric.Round(float64(j.GPUs)*j.Elapsed.Hours(), 4))
	}
	return r
}

func makeStep(s *sacct.Step) report.Step {
	out := report.Step{Name: safeLine(s.Name), Program: safeLine(s.Program), State: safeLine(s.State), Start: s.Start,
		Elapsed: s.Elapsed.Seconds(), Nodes: s.Nodes, Tasks: s.Tasks, GPUUtilMost: s.GPUUtilMost}
	if !s.End.IsZero() {
		out.Code, out.Signal = exitStatus(s.Code, s.Signal)
	}
	if s.CPUTime > 0 {
		out.CPU = new(metric.Round(s.CPUTime.Seconds(), 3))
	}
	if s.MaxRSS > 0 {
		out.Memory, out.Node = &s.MaxRSS, safeLine(s.MaxRSSNode)
	}
	return out
}

// cpuTime adds up the CPU time of the steps; nil: SLURM has gathered none.
func cpuTime(j *sacct.Job) *report.CPUTime {
	used := time.Duration(0)
	for i := range j.Steps {
		used += j.Steps[i].CPUTime
	}
	used = max(used, j.CPUTime)
	given := float64(j.CPUs) * j.Elapsed.Seconds()
	if used == 0 || given == 0 {
		return nil
	}
	return &report.CPUTime{Given: given, Used: metric.Round(used.Seconds(), 3),
		Percent: metric.Round(100*used.Seconds()/given, 2)}
}

// addGPUs adds what is known about the GPUs. SLURM stores the highest sample of each task (TRESUsageInMax), and the sum
// (TRESUsageInTot) and the mean (TRESUsageInAve) of these over the tasks, but never a mean over time. So the use of a
// step is at most that sum, for the time of the step. Without a sample, it is at most all GPUs of the step.
func addGPUs(a *report.Accounting, j *sacct.Job) {
	if !j.CountsGPUs {
		return
	}
	a.GPUs = &j.GPUs
	if j.GPUs == 0 {
		return
	}
	given := float64(j.GPUs) * j.Elapsed.Hours()
	a.GPUHours = &report.Shares{Given: metric.Round(given, 4)}
	busy, sampled := 0.0, false
	for i := range j.Steps {
		s := &j.Steps[i]
		if s.MaxGPUMemory != nil && (a.GPUMemory == nil || *s.MaxGPUMemory > *a.GPUMemory) {
			a.GPUMemory = s.MaxGPUMemory
		}
		most := float64(cmp.Or(s.GPUs, j.GPUs))
		if s.GPUUtilMost != nil {
			most = min(*s.GPUUtilMost/100, most)
			sampled = true
		}
		busy += most * s.Elapsed.Hours()
	}
	if !sampled || given == 0 || !hasEnded(j) {
		return // for a running job, only its ended steps are known
	}
	share := min(busy/given, 1)
	a.GPUUtilMost = new(metric.Round(100*share, 2))
	a.GPUHours.UsedMost, a.GPUHours.WastedLeast = new(metric.Round(share*given, 4)), new(metric.Round((1-share)*given, 4))
}

// nodeEnergy returns the energy of the nodes, in joules; 0: not known. Steps that run at the same time measure the same
// nodes: batch and extern run beside all others.
func nodeEnergy(j *sacct.Job) float64 {
	most, others := 0.0, 0.0
	for i := range j.Steps {
		if s := &j.Steps[i]; s.Name == "batch" || s.Name == "extern" {
			most = max(most, s.Joules)
		} else {
			others += s.Joules
		}
	}
	if most = max(most, others); len(j.Steps) == 0 {
		return j.Joules
	}
	return most
}

// The kinds of notes. Those that internal/output/report also has mean the same.
const (
	noteUnwatched  = "not_watched"
	noteNoUtil     = "gpu_utilization_not_gathered"
	noteNoUsage    = "usage_not_gathered"
	noteNeverUsed  = "gpus_never_used"
	noteUtil       = "low_utilization"
	noteFailed     = "failed_early"
	noteStepOOM    = "out_of_memory"
	noteImpossible = "impossible_numbers"
	noteAboveLimit = "memory_above_limit"
	lowUtil        = 25 // percent, as in jobstats
)

// accountingNotes returns facts that follow from the accounting alone.
func accountingNotes(r *report.Report) []report.Note {
	out := []report.Note{}
	add := func(kind, format string, args ...any) {
		out = append(out, report.Note{Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	a := r.Accounting
	judged := a.Elapsed >= advice.JudgedFrom.Seconds()
	if a.OutOfMemory != "" {
		who := "The job"
		if advice.IsStepOutOfMemory(a.OutOfMemory) {
			who = "Step " + a.OutOfMemory
		}
		add(noteStepOOM, "%s needed more host memory than it had asked for: ask for more with --mem or "+
			"--mem-per-cpu.", who)
	}
	if m := a.Memory; m != nil && m.Limit != nil && m.Peak > *m.Limit {
		add(noteAboveLimit, "The peak of %s is above the limit of %s: this site does not enforce it, or memory that "+
			"processes share was counted once for each of them, as SLURM does without JobAcctGatherParams=UsePss.",
			advice.SizeText(m.Peak), advice.SizeText(*m.Limit))
	}
	if !judged && a.OutOfMemory == "" && slices.Contains([]string{"FAILED", "NODE_FAIL", "BOOT_FAIL"}, r.Job.State) {
		add(noteFailed, "The job failed after %s: too early to judge what it needs.", advice.SpanText(a.Elapsed))
	}
	switch {
	case a.GPUUtilMost == nil:
	case judged && *a.GPUUtilMost == 0:
		add(noteNeverUsed, "SLURM's samples saw no work on the GPUs: check whether the program finds them.")
	case judged && *a.GPUUtilMost < lowUtil:
		add(noteUtil, "The GPU utilization is low: at most %s. Check whether the GPUs wait for data, for the CPU or "+
			"for each other.", advice.PercentText(*a.GPUUtilMost))
	}
	if a.GPUs != nil && *a.GPUs > 0 && a.GPUUtilMost == nil && !r.Job.End.IsZero() && !r.Job.Start.IsZero() {
		add(noteNoUtil, "SLURM has no GPU utilization of this job: wasted GPU-hours are not known. It needs its NVML "+
			"plugin (AutoDetect=nvml) and gres/gpuutil in AccountingStorageTRES, and sees no MIG instances.")
	}
	if a.CPU == nil && a.Memory == nil && !r.Job.End.IsZero() && a.Elapsed > 0 {
		add(noteNoUsage, "SLURM has gathered neither CPU time nor memory of this job (JobAcctGatherType).")
	}
	return out
}

// impossibleNotes reports counts of SLURM that cannot be true.
func impossibleNotes(j *sacct.Job) []report.Note {
	if len(j.Impossible) == 0 {
		return nil
	}
	return []report.Note{{Kind: noteImpossible, Text: "SLURM's accounting has numbers that cannot be, which are left " +
		"out: " + safeLine(text.Some(j.Impossible, 4)) + "."}}
}
