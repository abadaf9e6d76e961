package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Judge turns facts into a report.
func Judge(f *Facts) *Report {
	r := &Report{Version: Version, Program: f.Program, Time: f.At, User: f.User, Host: f.Host, Login: f.Login,
		Nodes: []NodeResult{}}
	r.Slurm = judgeSlurm(f)
	r.Verdict = worstVerdict(r.Slurm)
	for i := range f.Nodes {
		p := judgeNode(f, &f.Nodes[i])
		r.Verdict = max(r.Verdict, p.Verdict)
		r.Nodes = append(r.Nodes, p)
	}
	if f.Job.ID != "" {
		r.Job = judgeRanks(f)
		r.Verdict = max(r.Verdict, r.Job.Verdict)
	}
	r.cleanTexts()
	return r
}

// failedStep returns the step of a failure.
func failedStep(name string, f *reach.Failure, took time.Duration) Step {
	return Step{
		Name: name, Verdict: Failed, Text: f.Summary(), Took: took.Seconds(),
		Class: string(f.Class), Words: f.Words, Meaning: f.Meaning, Hints: slices.Clone(f.Hints),
	}
}

func judgeSlurm(f *Facts) []Step {
	s := &f.Slurm
	steps := []Step{}
	for i := range s.Tools {
		steps = append(steps, judgeTool(&s.Tools[i], f.Named))
	}
	if s.Cluster != "" {
		steps = append(steps, Step{Name: "cluster", Verdict: OK, Text: s.Cluster})
	}
	return append(steps, judgeJobs(f))
}

// judgeTool judges a tool of SLURM. If the user named the nodes, SLURM is not needed.
func judgeTool(t *Tool, named bool) Step {
	s := Step{Name: t.Name, Verdict: OK, Text: t.Version, Took: t.Took.Seconds()}
	switch {
	case t.Failure != nil:
		s = failedStep(t.Name, t.Failure, t.Took)
		if named {
			s.Verdict = Warning
		}
	case t.Idle:
		s.Verdict, s.Text = Skipped, "finds no configuration of SLURM"
	case t.Missing:
		s.Verdict, s.Text = Skipped, "not in PATH: "+lacking[t.Name]
	}
	return s
}

// lacking describes the consequence of a missing tool.
var lacking = map[string]string{
	"squeue": "there are no jobs to show", "scontrol": "the GPUs of jobs are not known",
	"srun": "nodes cannot be reached through it",
}

func judgeJobs(f *Facts) Step {
	s := &f.Slurm
	step := Step{Name: "jobs", Verdict: OK, Took: s.Took.Seconds()}
	switch {
	case !s.Asked:
		step.Verdict, step.Text = Skipped, interrupted
	case s.None:
		step.Verdict, step.Text = Skipped, "no SLURM on "+cmp.Or(f.Login, "this host")+", or it is not configured"
		if f.Login == "" && !f.Named {
			step.Text += ": this host is examined"
		}
	case s.Failure != nil:
		step = failedStep("jobs", s.Failure, s.Took)
		if f.Named || len(s.Jobs) > 0 {
			step.Verdict = Warning
		}
	case len(s.Jobs) == 0:
		step.Verdict, step.Text = Warning, "none is running"+pendingText(s.Pending)
		step.Hints = []string{"examine a node by its name: nvnodetop doctor NODE"}
		if f.Named {
			step.Verdict, step.Hints = OK, nil
		}
	default:
		step.Text = runningText(s) + pendingText(s.Pending)
	}
	if s.Note != "" {
		step.Hints = append(step.Hints, s.Note)
		if step.Verdict == OK {
			step.Verdict = Warning
		}
	}
	return step
}

const interrupted = "interrupted"

func runningText(s *Slurm) string {
	var nodes []string
	for i := range s.Jobs {
		nodes = append(nodes, s.Jobs[i].Nodes...)
	}
	slices.Sort(nodes)
	return fmt.Sprintf("%d running on %s", len(s.Jobs), text.Count(len(slices.Compact(nodes)), "node"))
}

func pendingText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d pending", n)
}

// Limits on how much of the other side's words is shown, in bytes.
const (
	maxText  = 400
	maxWords = 4 << 10
)

// cleanTexts makes the report safe to display.
func (r *Report) cleanTexts() {
	for _, s := range []*string{&r.Program, &r.User, &r.Host, &r.Login} {
		*s = safe.Line(*s, maxText)
	}
	cleanSteps(r.Slurm)
	if j := r.Job; j != nil {
		j.ID = safe.Line(j.ID, maxText)
		cleanSteps(j.Steps)
	}
	for i := range r.Nodes {
		p := &r.Nodes[i]
		p.Name = safe.Line(p.Name, maxText)
		cleanSteps(p.Steps)
		for k := range p.Transports {
			cleanSteps(p.Transports[k].Steps)
		}
	}
}

func cleanSteps(steps []Step) {
	for i := range steps {
		s := &steps[i]
		s.Text = safe.Line(strings.TrimSpace(s.Text), maxText)
		s.Words, s.Meaning = safe.Lines(s.Words, maxWords), safe.Line(s.Meaning, maxWords)
		for k, h := range s.Hints {
			s.Hints[k] = safe.Line(h, maxWords)
		}
	}
}
