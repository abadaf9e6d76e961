package slurm

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/text"
)

// ErrNoSlurm says that this host belongs to no SLURM cluster: there is no squeue, or no configuration that it could find.
var ErrNoSlurm = errors.New("no SLURM on this host")

// noConfig is what SLURM's commands say at last where they are installed but belong to no cluster.
const noConfig = "Could not establish a configuration source"

// unknownUser is what squeue says, with exit status 0, to a user whom the controller does not know.
const unknownUser = "error: Invalid user"

// errLate is the cause that a call's context ends with at our own deadline.
var errLate = errors.New("no answer before the deadline")

const (
	maxWords = 1 << 10 // of Failure.Words, in bytes
	maxLine  = 200     // of the line quoted in Failure.Cause
)

// failure says why a command failed, from its error and from what it wrote to its standard error.
func failure(command string, stderr []byte, err error) *reach.Failure {
	words := string(bytes.TrimSpace(stderr[:min(len(stderr), maxWords)]))
	said := firstLine(words)
	f := &reach.Failure{
		Class: reach.ClassSlurm,
		Short: command + " failed",
		Cause: said,
		Words: words,
	}
	switch {
	case errors.Is(err, errLate):
		f.Class = reach.ClassSlurmTimeout
		away(f)
		f.Cause = fmt.Sprintf("%s said nothing for %v", command, deadline)
	case strings.Contains(words, "Socket timed out"):
		f.Class = reach.ClassSlurmTimeout
		away(f)
	case strings.Contains(words, "Unable to contact slurm controller"), strings.Contains(words, "connect failure"):
		away(f)
	case strings.Contains(strings.ToLower(words), "munge"), strings.Contains(words, "authentication"):
		f.Meaning = "SLURM cannot prove who you are to its controller."
		f.Hints = []string{"Tell the site that munge does not work on this host."}
	case said == "" && errors.Is(err, exec.ErrNotFound):
		f.Short = command + " is not installed here"
	case said == "":
		f.Cause = err.Error()
	}
	return f
}

// Late is the failure of a squeue that has not answered after a time in which its caller wanted an answer.
func Late(after time.Duration) *reach.Failure {
	f := &reach.Failure{Class: reach.ClassSlurmTimeout, Cause: fmt.Sprintf("no answer from squeue after %v", after.Round(100*time.Millisecond))}
	away(f)
	return f
}

// away says that the controller does not answer, and what that means.
func away(f *reach.Failure) {
	f.Short = "slurmctld does not answer"
	f.Meaning = "The controller of the cluster is down, overloaded or out of reach. Running jobs go on without it."
	f.Hints = []string{"`scontrol ping` says whether the controller is up."}
}

// firstLine is the first line of what a SLURM command said, without the name of the library call that prints it.
func firstLine(words string) string {
	line := strings.TrimSpace(text.FirstLine(words))
	for _, prefix := range []string{"squeue: error: ", "scontrol: error: ", "slurm_load_jobs error: ", "error: "} {
		line = strings.TrimPrefix(line, prefix)
	}
	return text.Cut(line, maxLine)
}
