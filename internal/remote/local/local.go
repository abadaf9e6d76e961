// Package local is the Door to this host, for a machine with GPUs and no SLURM: scripts run as child processes. Probe,
// protocol and screens are the same as on a cluster, without ssh.
//
// A Door may be used by any number of goroutines. A child ends when its pipe is closed or this process dies, because
// its standard input ends.
package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Door reaches this host. It implements remote.Door.
type Door struct{}

var _ remote.Door = Door{}

// Stages implements remote.Door: there are none.
func (Door) Stages() []reach.Stage { return nil }

// Dial implements remote.Door. It ignores the node's name: there is only one.
func (Door) Dial(context.Context, string, *remote.Log) (remote.Shell, error) { return shell{}, nil }

// New returns an Opener for this host. Its probe is this program, even if its file has been replaced since. If this
// program cannot read GPUs, the probe is a copy of an embedded probe.
func New() (*remote.Opener, error) {
	o := remote.New(Door{})
	o.Name = reach.DoorHere
	if !install.ReadsGPUs {
		return o, nil
	}
	program := fmt.Sprintf("/proc/%d/exe", os.Getpid())
	if _, err := os.Stat(program); err != nil {
		if program, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("find this program's file: %w", err)
		}
	}
	o.Installer.Program = program
	return o, nil
}

// shell implements remote.Shell.
type shell struct{}

// lingering is how long other processes may keep a child's output open after the child's end.
const lingering = time.Second

// Run implements install.Shell. Once the child has its input, it outlives ctx; the end of its pipe ends it.
func (shell) Run(ctx context.Context, script string, input io.Reader) (*link.Pipe, error) {
	alive, kill := context.WithCancel(context.Background())
	cmd := exec.CommandContext(alive, "/bin/sh", "-c", script)
	cmd.WaitDelay = lingering
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // and what it started
	words := link.NewWords()
	cmd.Stderr = words
	in, err1 := cmd.StdinPipe()
	out, theirs, err2 := os.Pipe() // not cmd's pipe, which Wait would close under a reader
	if err := errors.Join(err1, err2); err != nil {
		kill()
		return nil, &remote.LocalError{What: "cannot start the probe", Err: err}
	}
	cmd.Stdout = theirs
	err := startChild(cmd)
	_ = theirs.Close()
	if err != nil {
		kill()
		_ = out.Close()
		return nil, &remote.LocalError{What: "cannot start the probe", Err: err}
	}
	wait := func() link.Exit {
		awaitChild(cmd)
		kill()
		return exitOf(cmd.ProcessState)
	}
	// A child that hangs in the driver cannot be killed until the driver returns. So our end of its output is closed
	// now.
	end := sync.OnceFunc(func() {
		kill()
		_ = out.Close()
	})
	going := context.AfterFunc(ctx, func() {
		end()
		_ = in.Close()
	})
	if input != nil {
		_, _ = io.Copy(in, input) // on an error the script has ended: its exit status says more
	}
	if !going() {
		crash.Go(func() { wait() })
		return nil, context.Cause(ctx)
	}
	return &link.Pipe{In: in, Out: out, Words: words, Wait: wait, Kill: end}, nil
}

// exitOf returns how a process ended.
func exitOf(state *os.ProcessState) link.Exit {
	if state == nil {
		return link.Exit{}
	}
	e := link.Exit{Known: true, Status: state.ExitCode()}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.Signal = strings.TrimPrefix(unix.SignalName(status.Signal()), "SIG")
	}
	return e
}

// Ping implements link.Way: this host is always there.
func (shell) Ping(context.Context) error { return nil }

// Close implements link.Way. The pipe ends the child.
func (shell) Close() error { return nil }

// Explain implements remote.Shell.
func (shell) Explain(c *remote.Case, err error) {
	if _, ended := errors.AsType[*link.EndError](err); ended && c.Failure.Class == "" && !c.NotBegun(err) {
		c.Is(reach.ClassClosed, "probe exited")
	}
}
