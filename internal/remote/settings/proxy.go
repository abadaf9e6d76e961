package settings

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

// A ProxyProcess runs a ProxyCommand of ssh: a child process whose standard input and output are the connection to a
// host.
//
// Any number of goroutines may call StartProxy. A ProxyProcess is for one reader and one writer; Close may be called
// from anywhere, repeatedly. Guarantees: after half a second at the latest, Close has ended the child and all processes
// that stayed in its session, and leaves no zombie. The child has no terminal, so it can neither ask questions there
// nor be interrupted from there. Only the beginning of its messages is kept.

// ProxyProcess is a running ProxyCommand.
type ProxyProcess struct {
	in, out *os.File // our ends
	words   *text.Capture
	secret  *safe.Secret  // a secret in its command line, which it may repeat
	ended   chan struct{} // closed when the child has ended and state is known
	state   *os.ProcessState
	end     func()
}

const (
	maxProxyWords = 4 << 10 // kept of standard error
	// from asking the child to end until killing it; also, how long others may keep its standard error open
	proxyLingering = 500 * time.Millisecond
)

// StartProxy starts a command line with the user's shell, as ssh does.
func StartProxy(line string) (*ProxyProcess, error) {
	c := &ProxyProcess{words: &text.Capture{Limit: maxProxyWords}, secret: safe.SecretOfCommand(line),
		ended: make(chan struct{})}
	cmd := exec.CommandContext(context.Background(), userShell(), "-c", "exec "+line) // Close ends it
	cmd.Stderr = c.words
	cmd.WaitDelay = proxyLingering
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	theirIn, in, err1 := os.Pipe()
	out, theirOut, err2 := os.Pipe()
	files := []*os.File{theirIn, theirOut, in, out}
	err := errors.Join(err1, err2)
	if err == nil {
		cmd.Stdin, cmd.Stdout = theirIn, theirOut
		err = cmd.Start()
		files = files[:2]
	}
	if err != nil {
		files = []*os.File{theirIn, theirOut, in, out}
	}
	for _, f := range files {
		_ = f.Close() // closing a nil file is just an error
	}
	if err != nil {
		return nil, err
	}
	c.in, c.out = in, out
	c.end = sync.OnceFunc(func() { c.killGroup(cmd.Process.Pid) })
	go func() {
		defer crash.End()
		_ = cmd.Wait() // state has the result
		c.state = cmd.ProcessState
		close(c.ended)
	}()
	return c, nil
}

func userShell() string {
	if s := os.Getenv("SHELL"); s != "" {
		return s
	}
	return "/bin/sh"
}

// killGroup ends the child and its process group.
func (c *ProxyProcess) killGroup(pid int) {
	_, _ = c.in.Close(), c.out.Close()
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	select {
	case <-c.ended:
		return
	default:
	}
	late := time.AfterFunc(proxyLingering, func() { _ = syscall.Kill(-pid, syscall.SIGKILL) })
	go func() {
		defer crash.End()
		<-c.ended
		late.Stop()
	}()
}

// Read reads the child's output.
func (c *ProxyProcess) Read(p []byte) (int, error) {
	n, err := c.out.Read(p)
	return n, asClosedConn(err)
}

// Write writes to the child's input.
func (c *ProxyProcess) Write(p []byte) (int, error) {
	n, err := c.in.Write(p)
	return n, asClosedConn(err)
}

// asClosedConn turns the error of a closed file into the error of a closed connection.
func asClosedConn(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return net.ErrClosed
	}
	return err
}

// Close ends the child. It does not wait for it.
func (c *ProxyProcess) Close() error {
	c.end()
	return nil
}

// ProxyError is the unwanted end of a ProxyCommand.
type ProxyError struct {
	Status int    // exit status; -1: ended by a signal
	Signal string // such as "killed"
	Words  string // what it wrote to standard error, without the passwords in its command line
}

func (e *ProxyError) Error() string {
	if e.Signal != "" {
		return "ended by signal: " + e.Signal
	}
	return "ended with status " + strconv.Itoa(e.Status)
}

// Failure waits up to within for the child to end, and returns how it ended; nil if it is still running.
func (c *ProxyProcess) Failure(within time.Duration) *ProxyError {
	select {
	case <-c.ended:
	case <-time.After(within):
		return nil
	}
	e := &ProxyError{Status: c.state.ExitCode(), Words: c.secret.Text(c.words.String())}
	if status, ok := c.state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.Signal = status.Signal().String()
	}
	return e
}
