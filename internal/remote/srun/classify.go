package srun

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// stepError is a step that did not start a script.
type stepError struct {
	words string // srun's
	err   error  // why srun could not be started
	late  bool   // it took too long
}

func (e *stepError) Error() string {
	switch {
	case e.err != nil:
		return e.err.Error()
	case e.late:
		return "SLURM did not start the step in time"
	}
	return cmp.Or(firstError(e.words), "the SLURM step ended")
}

// rule classifies srun's words.
type rule struct {
	words []string // any of these matches
	class reach.Class
	short string
	advice
}

// advice explains a failure and lists remedies. NODE and JOB stand for the names of the node and the job.
type advice struct {
	meaning string
	hints   []string
}

const reproduce = "reproduce with: srun --overlap --jobid=JOB -w NODE -N1 -n1 hostname"

// rules are in order. srun ends each refusal of a job with "Expired or invalid job", even when the controller does not
// respond.
var rules = []rule{
	{[]string{"Socket timed out"}, reach.ClassSlurmTimeout, "slurmctld not responding", controllerAway},
	{[]string{"Unable to contact slurm controller", "connect failure"}, reach.ClassSlurm, "slurmctld not responding",
		controllerAway},
	{[]string{"unrecognized option"}, reach.ClassSlurm, "srun is too old", advice{
		"This srun does not know --overlap, without which a second step waits for the end of the first.",
		[]string{"SLURM 20.11 or newer is needed: see srun --version"}}},
	{[]string{"Job is pending execution"}, reach.ClassSlurm, "the job does not run", advice{
		"SLURM has put the job back into the queue, or has not started it yet.",
		[]string{"check its state: squeue -j JOB"}}},
	{[]string{"has expired", "Invalid job id", "already completing or completed", "Expired or invalid job",
		"DUE TO TIME LIMIT"},
		reach.ClassAdopt, "the job has ended", advices[reach.ClassAdopt]},
	{[]string{"Access/permission denied", "Access denied", "not permitted"}, reach.ClassDenied, "srun refused", advice{
		"SLURM starts steps only for the owner of the job.", []string{reproduce}}},
	{[]string{"Communication connection failure", "failed on node", "Node failure"}, reach.ClassTimeout,
		"slurmd not responding", advice{
			"The node does not respond to SLURM: it is down or overloaded, or its link is down.",
			[]string{"check its state: scontrol show node NODE"}}},
	{[]string{"Unable to confirm allocation"}, reach.ClassSlurm, "srun failed", advice{"", []string{reproduce}}},
	{[]string{"tep creation temporarily disabled", "tep creation still disabled"}, reach.ClassSlurmTimeout,
		"SLURM does not start the step", waits},
	{[]string{"Step limit reached"}, reach.ClassSlurm, "SLURM refused the step", advice{
		"The job has had as many steps as SLURM allows for one job.",
		[]string{"see the limit, MaxStepCount: scontrol show config"}}},
	{[]string{"Unable to create step"}, reach.ClassSlurm, "SLURM refused the step", advice{
		"SLURM did not start a second step in the job.", []string{reproduce}}},
	{[]string{"CANCELLED AT", "Job step aborted", "Force Terminated"}, reach.ClassProbeKilled,
		"SLURM step was canceled", advice{}},
}

var (
	controllerAway = advice{"The SLURM controller is down, overloaded or unreachable. Running jobs continue.",
		[]string{"check with: scontrol ping"}}
	waits = advice{"SLURM keeps the step waiting: the controller is busy, or the job's own step leaves no " +
		"room for a second one.", []string{reproduce}}
)

// advices are for failures that no rule explains.
var advices = map[reach.Class]advice{
	reach.ClassAdopt: {"A step needs a running job of yours on the node.",
		[]string{"list your jobs: squeue --me"}},
	reach.ClassSlurm:        {"SLURM did not start a second step in the job.", []string{reproduce}},
	reach.ClassSlurmTimeout: waits,
	reach.ClassLocal:        {"", []string{"check that srun works on this host: srun --version"}},
	reach.ClassProbeKilled: {"The probe was killed: the job there ended, its step was canceled, or memory ran out.",
		nil},
	reach.ClassProbeLate: {"The step runs, but the probe does not start: the node is overloaded, or its home file " +
		"system hangs.",
		[]string{"reproduce with: srun --overlap --jobid=JOB -w NODE -N1 -n1 true"}},
}

// Explain implements remote.Shell.
func (s *shell) Explain(c *remote.Case, err error) {
	a := advice{}
	if c.Failure.Class == "" {
		a = classifyError(c, err)
	}
	if a.meaning == "" && a.hints == nil {
		a = advices[c.Failure.Class]
	}
	c.Failure.Meaning = cmp.Or(c.Failure.Meaning, a.meaning)
	for _, h := range a.hints {
		if s.crew != nil {
			h = strings.ReplaceAll(h, "JOB", s.crew.id)
		}
		if os.Getenv("SLURM_JWT") != "" { // see kept
			h = strings.Replace(h, ": srun ", ": env -u SLURM_JWT srun ", 1)
		}
		c.Failure.Hints = append(c.Failure.Hints, h)
	}
}

// classifyError classifies an error of this door or the end of a task.
func classifyError(c *remote.Case, err error) advice {
	step, isStep := errors.AsType[*stepError](err)
	_, isEnd := errors.AsType[*link.EndError](err)
	switch {
	case errors.Is(err, errNoJob):
		c.Is(reach.ClassAdopt, "no running job on the node")
		return advice{}
	case isStep && step.err != nil:
		return cannotStart(c, step.err)
	case isStep:
		c.Say(step.words)
	case !isEnd:
		return advice{}
	}
	if a, ours := ownEnd(c); isEnd && ours {
		return a
	}
	if r := ruleFor(c.Words); r != nil {
		c.Is(r.class, r.short)
		c.Failure.Cause = shortError(c.Words)
		return r.advice
	}
	switch {
	case isStep && step.late:
		c.Is(reach.ClassSlurmTimeout, "SLURM did not start the step"+c.After())
	case isStep:
		c.Is(reach.ClassSlurm, "srun failed")
		c.Failure.Cause = shortError(c.Words)
	case c.NotBegun(err):
	default:
		c.Is(reach.ClassClosed, "SLURM step ended")
	}
	return advice{}
}

// ownEnd explains the end of a task that this package caused.
func ownEnd(c *remote.Case) (_ advice, ours bool) {
	switch {
	case strings.Contains(c.Words, movesOn):
		c.Is(reach.ClassClosed, "moving to another step")
		c.Failure.Next = true
		return advice{"Another node does not respond, and leaves unread what all nodes of a step are sent. The " +
			"others get a step without it; no action needed.", nil}, true
	case strings.Contains(c.Words, isSuspended):
		c.Is(reach.ClassClosed, "the job is suspended")
		return advice{"SLURM has stopped the job, and with it the probes in its steps. They start again when it goes " +
			"on.", []string{"see its state: squeue -j JOB"}}, true
	}
	return advice{}, false
}

func ruleFor(words string) *rule {
	for i := range rules {
		if slices.ContainsFunc(rules[i].words, func(w string) bool { return strings.Contains(words, w) }) {
			return &rules[i]
		}
	}
	return nil
}

// cannotStart classifies the error of starting srun itself.
func cannotStart(c *remote.Case, err error) advice {
	c.Say(err.Error())
	if errors.Is(err, exec.ErrNotFound) {
		c.Is(reach.ClassLocal, "srun not found")
		return advice{}
	}
	c.Is(reach.ClassLocal, "cannot start srun")
	c.Failure.Cause = text.Cut(err.Error(), 60)
	return advice{}
}

// shortError returns the error in srun's output in a few words.
func shortError(words string) string {
	line := refusalReason(words)
	if before, reason, found := strings.Cut(line, ": "); found && strings.Contains(before, " ") {
		line = reason
	}
	return text.Cut(line, 60)
}
