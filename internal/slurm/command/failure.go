package command

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// ErrNoSlurm means that this host belongs to no SLURM cluster: there is no squeue, or no configuration for it.
var ErrNoSlurm = errors.New("no SLURM on this host")

// NoSlurm reports whether a command that failed is missing, or has no configuration. A broken configuration counts as
// one, and so does one that a controller keeps and does not send.
func NoSlurm(stderr []byte, err error) bool {
	if err == nil || Missing(err) {
		return err != nil
	}
	return lacksConfig.Match(stderr) && !hasController.Match(stderr)
}

// Messages of SLURM's commands. Since 20.02 the commands look for a configuration in a file, and then for a controller
// that has it; before, they wait a minute for the file.
var (
	lacksConfig = regexp.MustCompile(`(?im)configuration source|` +
		`^.*(s_p_parse_file|slurm\.conf|config(uration)? file).*(no such file|not found|not exist)`)
	hasController = regexp.MustCompile(`(?i)remote config|contact(ing)? .*(controller|slurmctld)`)
)

// Missing reports whether a command that failed is not installed.
func Missing(err error) bool { return errors.Is(err, exec.ErrNotFound) }

// ErrLate is the cause when a call's context ends at our own deadline.
var ErrLate = errors.New("no answer before the deadline")

const (
	maxWords = 1 << 10 // of Failure.Words, in bytes
	maxLine  = 200     // of the line quoted in Failure.Cause
)

// Failed explains the failure of a command, from its error and its standard error.
func Failed(command string, stderr []byte, err error) *reach.Failure {
	if f, ok := errors.AsType[*reach.Failure](err); ok {
		return f // the connection to the command's host failed
	}
	_, stderr = cutDropped(stderr)
	words := string(bytes.TrimSpace(stderr[:min(len(stderr), maxWords)]))
	said := firstLine(words)
	f := &reach.Failure{
		Class: reach.ClassSlurm,
		Short: command + " failed",
		Cause: said,
		Words: words,
	}
	switch {
	case errors.Is(err, ErrLate):
		f.Class = reach.ClassSlurmTimeout
		addNoController(f)
		f.Cause = fmt.Sprintf("%s timed out after %v", command, deadline)
	case strings.Contains(words, "Socket timed out"):
		f.Class = reach.ClassSlurmTimeout
		addNoController(f)
	case strings.Contains(words, "Unable to contact slurm controller"), strings.Contains(words, "connect failure"):
		addNoController(f)
	case strings.Contains(strings.ToLower(words), "munge"), strings.Contains(words, "authentication"):
		f.Meaning = "SLURM cannot authenticate you to its controller."
		f.Hints = []string{"report it to your admins: munge is not working on this host"}
	case said == "" && errors.Is(err, exec.ErrNotFound):
		f.Short = command + " is not installed here"
	case said == "":
		f.Cause = err.Error()
	}
	return f
}

// Late returns the failure of a squeue that has not answered when its caller stops waiting.
func Late(after time.Duration) *reach.Failure {
	f := &reach.Failure{Class: reach.ClassSlurmTimeout, Cause: fmt.Sprintf("no answer from squeue after %v",
		after.Round(100*time.Millisecond))}
	addNoController(f)
	return f
}

// addNoController adds that the controller does not respond, what that means, and a hint.
func addNoController(f *reach.Failure) {
	f.Short = "slurmctld not responding"
	f.Meaning = "The SLURM controller is down, overloaded or unreachable. Running jobs continue."
	f.Hints = []string{"check with: scontrol ping"}
}

// firstLine returns the first line of an error message, without the name of the command or library call that printed
// it.
func firstLine(words string) string {
	line := strings.TrimSpace(text.FirstLine(words))
	for _, prefix := range []string{"squeue: error: ", "scontrol: error: ", "sinfo: error: ", "scancel: error: ",
		"sacct: error: ",
		"slurm_load_jobs error: ", "error: "} {
		line = strings.TrimPrefix(line, prefix)
	}
	return text.Cut(line, maxLine)
}
