package slurm

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

var (
	// jobID matches the ID of a job as squeue prints it: "48211", a task "2_1", a component "3+1", the waiting tasks of
	// an array "2_[3-10%2]".
	jobID = regexp.MustCompile(
		`^([1-9][0-9]{0,9}(?:_[0-9]{1,9}|\+[0-9]{1,9}|_\[[0-9,:-]{1,200})?)(?:(?:%[0-9]{1,9})?(\]))?$`,
	)
	// signalName matches the name of a signal for scancel.
	signalName = regexp.MustCompile(`^[A-Z][A-Z0-9]{1,9}$`)
)

const cancelName = "scancel"

// Cancel makes SLURM end a job or, given a signal such as "USR1", send that signal to the job. It returns nil once
// SLURM has accepted the order. The error is a *reach.Failure, or ctx's.
//
// A signal goes to all processes of the steps that srun started, on all nodes. It does not go to the batch script or
// its other children: most scripts do not handle signals, and would end. SIGKILL is refused, since SLURM treats it as
// the end of the job. An ID without a task means the whole array, and the ID of the first component means the whole
// heterogeneous job.
func (c *Client) Cancel(ctx context.Context, job, signal string) error {
	argv, err := cancelCommand(job, signal)
	if err != nil {
		return err
	}
	_, stderr, err := c.run.Within(ctx, argv...)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if refusal := scancelErrors(stderr, err != nil); err != nil || len(refusal) > 0 { // some versions exit with 0
		return explainCancel(command.Failed(cancelName, refusal, err))
	}
	return nil
}

// scancelErrors returns the errors on scancel's standard error. Other lines of scancel describe what it does. If it has
// failed, a line that does not begin with its name is an error too: "Unknown job signal: FOO".
func scancelErrors(stderr []byte, failed bool) (lines []byte) {
	for line := range bytes.Lines(stderr) {
		isError := bytes.Contains(line, []byte("error: ")) || bytes.Contains(line, []byte("fatal: "))
		if isError || failed && !bytes.HasPrefix(line, []byte(cancelName+": ")) {
			lines = append(lines, line...)
		}
	}
	return lines
}

// cancelCommand returns the command that cancels job. Without --verbose it would be silent about ended jobs. A
// malformed ID is refused, so that it cannot act as another argument of scancel.
func cancelCommand(job, signal string) ([]string, error) {
	m := jobID.FindStringSubmatch(job)
	switch {
	case m == nil, strings.Contains(m[1], "[") != (m[2] != ""):
		return nil, &reach.Failure{Class: reach.ClassSlurm, Short: "scancel was not run",
			Cause: fmt.Sprintf("%q is not the id of a job", job)}
	case signal == "":
		return []string{cancelName, "--verbose", m[1] + m[2]}, nil
	case signal == "KILL" || signal == "SIGKILL":
		return nil, &reach.Failure{Class: reach.ClassSlurm, Short: "scancel was not run",
			Cause: "SLURM takes SIGKILL for the end of the job: cancel the job instead"}
	case !signalName.MatchString(signal):
		return nil, &reach.Failure{Class: reach.ClassSlurm, Short: "scancel was not run",
			Cause: fmt.Sprintf("%q is not the name of a signal", signal)}
	}
	return []string{cancelName, "--verbose", "--signal=" + signal, m[1] + m[2]}, nil
}

// cancelHints are the remedies when SLURM refuses, by its message.
var cancelHints = []struct{ words, meaning, hint string }{
	{"Invalid job id", "SLURM does not know this job any more.", "refresh the list of jobs: this one may have ended"},
	{"already completing or completed", "The job is ending.", "refresh the list of jobs to see whether it has ended"},
	{"Access/permission denied", "Only the owner of a job and the admins may cancel it.",
		"check whose job it is: squeue -j JOB"},
	{"Job is not running", "Only running steps get signals.", "cancel the job without a signal instead"},
	{"can not be altered now", "The job waits, or changes its state just now: only running steps get signals.",
		"try again when the job runs, or cancel it without a signal"},
	{"Unknown job signal", "This version of SLURM does not know the signal.", "list the signals of SLURM: man scancel"},
}

// explainCancel adds the meaning of a refusal.
func explainCancel(f *reach.Failure) *reach.Failure {
	for _, h := range cancelHints {
		if f.Meaning == "" && strings.Contains(f.Words, h.words) {
			f.Meaning, f.Hints = h.meaning, []string{h.hint}
		}
	}
	return f
}
