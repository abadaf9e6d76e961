package track

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
)

// A Child is a command that runs in place of this program. It has the terminal, the process group and the standard
// streams of this program, and gets the signals that are sent to it. Meanwhile the command is measured.
//
// A Child is for one goroutine, except Ended. It guarantees that the command stays a zombie, with its times in /proc,
// until Reap is called. After AdoptDescendants, orphans of the command become children of this process, which has to
// wait for them. AdoptDescendants needs Linux.

// Exit statuses as shells give them: of a command that cannot be run, and what is added to the number of the signal
// that ends a command.
const (
	ExitCannotRun = 126
	ExitNotFound  = 127
	ExitSignaled  = 128
)

// ChildStreams are the standard streams of a command.
type ChildStreams struct {
	In, Out *os.File
	Err     io.Writer
}

// Child is a running command.
type Child struct {
	cmd   *exec.Cmd
	group *signalForwarder
	ended chan struct{}

	signals chan os.Signal
	quit    chan struct{}
	passing chan struct{} // closed when no more signals are passed on
}

// ChildResult is the end of a command.
type ChildResult struct {
	Status int    // its exit status, or Signaled plus the number of the signal that ended it
	Peak   uint64 // largest resident memory of the command, or of a descendant it has waited for, in bytes
}

// StartChild starts a command.
func StartChild(command []string, s ChildStreams) (*Child, error) {
	if unsupported != nil {
		return nil, unsupported
	}
	c := &Child{
		cmd: exec.CommandContext(context.Background(), command[0], command[1:]...), ended: make(chan struct{}),
		signals: make(chan os.Signal, 16), quit: make(chan struct{}), passing: make(chan struct{}),
	}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = s.In, s.Out, s.Err
	c.group = newGroup()
	signal.Notify(c.signals, passedSignals()...) // before it starts, so that no signal is lost
	if err := c.cmd.Start(); err != nil {
		signal.Stop(c.signals)
		c.group.closeWitness()
		return nil, err
	}
	go func() {
		defer close(c.ended)
		defer crash.End()
		awaitChild(c.cmd.Process.Pid)
	}()
	crash.Go(c.passSignals)
	return c, nil
}

// StartStatus returns the exit status that a shell gives to a command that does not start.
func StartStatus(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return ExitNotFound
	}
	return ExitCannotRun
}

// PID returns the PID of the command.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Ended is closed when the command has ended.
func (c *Child) Ended() <-chan struct{} { return c.ended }

// Own reports whether the Child itself has started this process, besides the command.
func (c *Child) Own(pid int) bool { return c.group.isWitness(pid) }

// Reap waits for the command, which has ended.
func (c *Child) Reap() ChildResult {
	signal.Stop(c.signals)
	close(c.quit)
	<-c.passing
	c.group.closeWitness()
	_ = c.cmd.Wait() // ProcessState has the result
	var r ChildResult
	if used, ok := c.cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.Peak = PeakOf(used)
	}
	if status, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		r.Status = ExitSignaled + int(status.Signal())
	} else {
		r.Status = c.cmd.ProcessState.ExitCode()
	}
	return r
}
