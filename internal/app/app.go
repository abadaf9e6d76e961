// Package app is the program: its commands, the habits of users of other programs, and the exit code. Only main imports
// it; Main is called once, and Run by tests. The small commands schema, config and completion are here too.
//
// # A good guest
//
// After 30 minutes without a key, the screen is drawn and its nodes are polled ten times less often, until the next
// key: a program cannot know whether anybody watches its terminal. tmux and GNU screen show in the mode of their socket
// that they are detached (internal/remote/attached): a detached screen slows down within 5 s, and is up to date 1 s
// after somebody attaches.
//
// A recording, a command that writes files (scalars) and a command that prints repeatedly (list --interval) keep their
// pace. Jobs are shown as soon as squeue has answered; their GPUs follow.
//
// Go code runs on one thread at a time, on the login side and in the probe, and both have a memory limit. With many
// nodes, a screen has a second thread while keys are pressed, and more while garbage is collected (package screen).
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
)

// Main runs the program with its arguments (without its name) and returns its exit code.
func Main(args []string, in, out *os.File, errs io.Writer) int {
	defer crash.End()
	// Login nodes are shared and count CPU seconds, so one thread and a small heap are enough. A second thread would
	// wake up for each report and find nothing to do. Measured, this costs a fifth of the report.
	runtime.GOMAXPROCS(1)
	feed.LimitMemory()

	ctx, stop := signal.NotifyContext(context.Background(), exitSignals()...)
	defer stop()
	return Run(ctx, args, in, out, errs)
}

// Run runs the program as Main does, until its context ends. It changes nothing of its process: Main does.
func Run(ctx context.Context, args []string, in, out *os.File, errs io.Writer) int {
	cmd := newCommand(cli.Streams{In: in, Out: out, Err: errs})
	cmd.SetArgs(rewriteArgs(ofVersion(cmd, args)))
	cmd.SetIn(in)
	said := &errorWriter{to: out}
	cmd.SetOut(said)
	cmd.SetErr(errs)
	err := cmd.ExecuteContext(ctx)
	if said.err != nil { // cobra prints the help, and ignores errors
		err = cli.Exit(cli.ExitFailed, said.err)
	}
	if err == nil {
		return cli.ExitOK
	}
	exit, ours := errors.AsType[*cli.ExitError](err)
	if !ours { // cobra itself only reports usage errors
		exit = &cli.ExitError{Code: cli.ExitUsage, Err: err}
	}
	if errors.Is(err, crash.Err) {
		exit = &cli.ExitError{Code: crash.Exit, Err: exit.Err}
	}
	if exit.Err != nil {
		fmt.Fprintf(errs, "nvnodetop: %s\n", cli.Printable(exit.Err.Error())) // it may contain text from a host
	}
	return exit.Code
}

// errorWriter keeps the first error that printing returns.
type errorWriter struct {
	to  io.Writer
	err error
}

// Write implements io.Writer.
func (p *errorWriter) Write(text []byte) (int, error) {
	n, err := p.to.Write(text)
	p.err = cmp.Or(p.err, err)
	return n, err
}

// exitSignals lists the signals that end the program. A signal that was ignored at the start, such as SIGHUP under
// nohup, stays ignored.
func exitSignals() []os.Signal {
	return append(slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGHUP}, signal.Ignored), syscall.SIGTERM)
}
