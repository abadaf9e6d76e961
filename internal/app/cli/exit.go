// Package cli holds what all commands share: streams, settings, common flags, the log, exit codes, and the lines for a
// person on standard error. It also has nvitop's flags that choose GPUs and processes, and the flags that choose
// metrics.
package cli

import (
	"errors"
	"fmt"
)

// Exit codes of the program.
const (
	ExitOK = 0
	// for output that is printed once: a node or a GPU of a job does not report, or a problem is critical; otherwise:
	// the program could not continue
	ExitFailed = 1
	ExitUsage  = 2
	ExitNoJobs = 3 // no running job, or no SLURM to ask
)

// ExitError ends the program with an exit code. Its error, if any, is printed as one line.
type ExitError struct {
	Code int
	Err  error
}

// Exit returns an ExitError.
func Exit(code int, err error) error { return &ExitError{code, err} }

func (e *ExitError) Error() string { return fmt.Sprintf("exit code %d: %v", e.Code, e.Err) }

// Unwrap returns the reason.
func (e *ExitError) Unwrap() error { return e.Err }

// Usage is the error of a wrong command line.
func Usage(format string, args ...any) error { return Exit(ExitUsage, fmt.Errorf(format, args...)) }

// Failed gives an error the exit code ExitFailed, unless it already has one; nil for nil.
func Failed(err error) error {
	if err == nil {
		return nil
	}
	if exit, ok := errors.AsType[*ExitError](err); ok {
		return exit
	}
	return Exit(ExitFailed, err)
}

// ErrInterrupted says that the user interrupted the wait.
var ErrInterrupted = errors.New("interrupted")
