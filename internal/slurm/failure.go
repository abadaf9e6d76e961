package slurm

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
)

// ErrNoSlurm says that this host belongs to no SLURM cluster: there is no squeue, or no configuration that it could find.
var ErrNoSlurm = errors.New("no SLURM on this host")

// noConfig is what SLURM's commands say at last where they are installed but belong to no cluster.
const noConfig = "Could not establish a configuration source"

// errLate is the cause that a call's context ends with at our own deadline.
var errLate = errors.New("no answer before the deadline")

const (
	maxWords = 1 << 10 // of Failure.Words, in bytes
	maxLine  = 200     // of the line quoted in Failure.Summary
)

// failure says why a command failed, from its error and from what it wrote to its standard error.
func failure(command string, deadline time.Duration, stderr []byte, err error) *reach.Failure {
	words := string(bytes.TrimSpace(stderr[:min(len(stderr), maxWords)]))
	said := firstLine(words)
	f := &reach.Failure{
		Class:   reach.ClassSlurm,
		Summary: fmt.Sprintf("%s failed: %s", command, said),
		Words:   words,
	}
	switch {
	case errors.Is(err, errLate):
		f.Class = reach.ClassSlurmTimeout
		f.Summary = fmt.Sprintf("slurmctld does not answer: %s said nothing for %v", command, deadline)
		away(f)
	case strings.Contains(words, "Socket timed out"):
		f.Class = reach.ClassSlurmTimeout
		f.Summary = "slurmctld does not answer: " + said
		away(f)
	case strings.Contains(words, "Unable to contact slurm controller"), strings.Contains(words, "connect failure"):
		f.Summary = "slurmctld does not answer: " + said
		away(f)
	case strings.Contains(strings.ToLower(words), "munge"), strings.Contains(words, "authentication"):
		f.Meaning = "SLURM cannot prove who you are to its controller."
		f.Hints = []string{"Tell the site that munge does not work on this host."}
	case said == "" && errors.Is(err, exec.ErrNotFound):
		f.Summary = command + " is not installed here"
	case said == "":
		f.Summary = fmt.Sprintf("%s failed: %v", command, err)
	}
	return f
}

// away adds what it means when the controller does not answer.
func away(f *reach.Failure) {
	f.Meaning = "The controller of the cluster is down, overloaded or out of reach. Running jobs go on without it."
	f.Hints = []string{"`scontrol ping` says whether the controller is up."}
}

// firstLine is the first line of what a SLURM command said, without the name of the library call that prints it.
func firstLine(words string) string {
	line, _, _ := strings.Cut(words, "\n")
	line = strings.TrimSpace(line)
	for _, prefix := range []string{"squeue: error: ", "scontrol: error: ", "slurm_load_jobs error: ", "error: "} {
		line = strings.TrimPrefix(line, prefix)
	}
	return line[:min(len(line), maxLine)]
}
