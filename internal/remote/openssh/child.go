package openssh

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// mark is printed on the node when the login is done, on both outputs, which arrive separately. Output after the mark
// comes from the script.
const mark = "nvnodetop-shell/1\n"

// listen is the command on the node: it reports that the login is done, and becomes the script in the first line of its
// input. So one ssh both logs in and runs the script. read takes no byte after that line: the rest is for the script.
var listen = install.Quoted("echo " + strings.TrimSpace(mark) + " >&2; echo " + strings.TrimSpace(mark) +
	"; IFS= read -r s && eval \"$s\"")

// sshProcess is one running ssh.
type sshProcess struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	pipe   *os.File // its output
	out    *bufio.Reader
	words  *sshStderr
	ended  chan struct{} // closed when it has been reaped
	ending sync.Once
	linger time.Duration
}

// starter starts each ssh, on a thread that ends with this process.
var starter remote.Starter

// startSSH starts an ssh to a node. It calls admitted when the login is done.
func (d *Door) startSSH(node string, admitted func()) (*sshProcess, error) {
	cmd := exec.CommandContext(context.Background(), d.program, d.sshArguments(node)...) // kill ends it
	// so that messages can be classified
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.SysProcAttr = sysProcAttr()
	cmd.WaitDelay = d.limits.closing
	c := &sshProcess{cmd: cmd, words: newVoice(admitted), ended: make(chan struct{}), linger: d.limits.closing}
	cmd.Stderr = c.words
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, theirs, err := os.Pipe() // not cmd's pipe, which Wait would close under a reader
	if err != nil {
		_ = in.Close()
		return nil, err
	}
	cmd.Stdout = theirs
	err = starter.Do(cmd.Start)
	_ = theirs.Close()
	if err != nil {
		_ = out.Close()
		return nil, err
	}
	c.in, c.pipe, c.out = in, out, bufio.NewReaderSize(out, 1<<9)
	go func() {
		defer crash.End()
		_ = cmd.Wait() // ProcessState has the result
		close(c.ended)
	}()
	return c, nil
}

// maxNoise limits the output of a login before the mark.
const maxNoise = 256 << 10

// awaitLogin returns nil when the login is done. Otherwise it ends ssh and returns a *loginError or the error of ctx.
func (c *sshProcess) awaitLogin(ctx context.Context, limit time.Duration) error {
	_ = c.pipe.SetReadDeadline(time.Now().Add(limit))
	stop := context.AfterFunc(ctx, c.killSession)
	noise, err := c.awaitMark()
	_ = c.pipe.SetReadDeadline(time.Time{})
	if !stop() {
		return context.Cause(ctx)
	}
	if err == nil {
		c.words.endLogin(c.linger)
		return nil
	}
	e := &loginError{err: err, limit: limit, noise: noise != ""}
	if errors.Is(err, io.EOF) {
		c.awaitEnd(c.linger) // its last words and its status are about to come
	}
	c.killSession()
	e.admitted = c.words.wasAdmitted()
	e.words = strings.TrimSpace(strings.TrimSpace(noise) + "\n" + c.words.loginMessages())
	if c.hasEnded() {
		e.signal, e.status = signalOf(c.cmd.ProcessState), c.cmd.ProcessState.ExitCode()
	}
	return e
}

// awaitMark reads up to the mark, and returns the beginning of the output before it.
func (c *sshProcess) awaitMark() (noise string, err error) {
	var heard []byte
	for len(heard) < maxNoise {
		b, err := c.out.ReadByte()
		if err != nil {
			return text.Cut(string(heard), 4<<10), err
		}
		heard = append(heard, b)
		if b == '\n' && bytes.HasSuffix(heard, []byte(mark)) {
			return "", nil
		}
	}
	return text.Cut(string(heard), 4<<10), errNoise
}

var errNoise = errors.New("too much output before the login was done")

// runScript sends the script and its input, and returns the pipe to it.
func (c *sshProcess) runScript(ctx context.Context, script string, input io.Reader) (*link.Pipe, error) {
	going := context.AfterFunc(ctx, c.killSession)
	_, err := io.WriteString(c.in, script+"\n")
	if err == nil && input != nil {
		_, _ = io.Copy(c.in, input) // on an error the script has ended: its exit status says more
	}
	if !going() {
		return nil, context.Cause(ctx)
	}
	return &link.Pipe{In: c.in, Out: c.out, Words: c.words.late, Wait: c.awaitScript, Kill: c.killSession}, nil
}

// lost is the exit status of an ssh whose connection failed, or whose command was ended by a signal.
const lost = 255

// awaitScript returns how the script ended.
func (c *sshProcess) awaitScript() link.Exit {
	<-c.ended
	state := c.cmd.ProcessState
	if s := signalOf(state); s != "" {
		_, _ = io.WriteString(c.words.late, "ssh on this host was ended by signal "+s+"\n")
	}
	if state == nil || !state.Exited() || state.ExitCode() == lost {
		return link.Exit{}
	}
	return link.Exit{Known: true, Status: state.ExitCode()}
}

func (c *sshProcess) hasEnded() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// awaitEnd waits until ssh has ended, but not longer than limit.
func (c *sshProcess) awaitEnd(limit time.Duration) {
	select {
	case <-c.ended:
	case <-time.After(limit):
	}
}

// killSession ends ssh and its children, such as a ProxyCommand. It does not block.
func (c *sshProcess) killSession() {
	c.ending.Do(func() {
		_ = c.in.Close()
		_ = c.pipe.Close()
		c.signalSession(syscall.SIGTERM)
		go func() {
			defer crash.End()
			c.awaitEnd(c.linger)
			c.signalSession(syscall.SIGKILL)
		}()
	})
}

// signalSession signals the session of ssh while it runs. Its process group has the PID of ssh, which cannot be reused
// until ssh is reaped.
func (c *sshProcess) signalSession(s syscall.Signal) {
	if !c.hasEnded() {
		_ = syscall.Kill(-c.cmd.Process.Pid, s) // on error it has just ended
	}
}

// signalOf returns the signal that ended a process, such as "KILL"; empty: none.
func signalOf(state *os.ProcessState) string {
	if state == nil {
		return ""
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return strings.TrimPrefix(unix.SignalName(status.Signal()), "SIG")
	}
	return ""
}

// sshStderr is the standard error of one ssh: that of the login up to the mark, then that of the script, including
// ssh's messages about the connection.
type sshStderr struct {
	login  *text.Capture
	late   *text.Capture
	marked chan struct{} // closed at the mark

	admitted func() // called when the login is done

	mu     sync.Mutex // protects the following
	inside bool       // the login is done
	turned bool
	tail   []byte // the last bytes of the login, which may be the beginning of the mark
}

func newVoice(admitted func()) *sshStderr {
	return &sshStderr{login: link.NewWords(), late: link.NewWords(), marked: make(chan struct{}), admitted: admitted}
}

func (v *sshStderr) wasAdmitted() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.inside
}

// verbose matches the lines that ssh prints only because it is told to be verbose: that the login is done, and how many
// bytes it carried.
var verbose = regexp.MustCompile(`(?m)^(Authenticated to |Transferred: sent |Bytes per second: sent ).*\n?`)

// withoutVerbose returns p without ssh's verbose lines, and records when they say that the login is done. v.mu is held.
func (v *sshStderr) withoutVerbose(p []byte) []byte {
	if !v.inside && !v.turned && bytes.Contains(verbose.Find(p), []byte("Authenticated")) {
		v.inside = true
		v.admitted()
	}
	return verbose.ReplaceAll(p, nil)
}

// endLogin ends the messages of the login: at the mark, or after limit if no mark comes, as with a login shell that
// closes its standard error.
func (v *sshStderr) endLogin(limit time.Duration) {
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-v.marked:
	case <-late.C:
		v.mu.Lock()
		v.turned = true
		v.mu.Unlock()
	}
}

func (v *sshStderr) loginMessages() string {
	said, _, _ := strings.Cut(v.login.String(), mark) // the Write with the mark may hold output of the script too
	return strings.TrimSpace(said)
}

func (v *sshStderr) Write(all []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	p := v.withoutVerbose(all)
	if v.turned {
		_, err := v.late.Write(p)
		return len(all), err
	}
	_, _ = v.login.Write(p)
	heard := append(v.tail, p...)
	if at := bytes.Index(heard, []byte(mark)); at >= 0 {
		v.turned, v.tail = true, nil
		_, _ = v.late.Write(heard[at+len(mark):])
		close(v.marked)
		return len(all), nil
	}
	v.tail = bytes.Clone(heard[max(len(heard)-len(mark)+1, 0):])
	return len(all), nil
}

// ReadFrom implements io.ReaderFrom, to avoid the 32 KiB buffer of io.Copy.
func (v *sshStderr) ReadFrom(r io.Reader) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{v}, struct{ io.Reader }{r}, make([]byte, 1<<10))
}
