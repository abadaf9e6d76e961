package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// process is a command that runs on a node.
type process struct {
	ssh    *ssh.Session
	conn   *client
	in     io.WriteCloser
	out    *wire.Reader
	stderr capture
	exit   time.Duration // how long an autopsy waits for the exit status
	ended  chan struct{} // closed when err is valid
	err    error         // as ssh.Session.Wait returns it
}

func startProcess(ctx context.Context, client *client, command string, exit time.Duration) (*process, error) {
	session, err := await(ctx, client, client.NewSession, func(s *ssh.Session) { drop(s) })
	if err != nil {
		return nil, &sessionError{err: err}
	}
	p := &process{ssh: session, conn: client, exit: exit, ended: make(chan struct{})}
	session.Stderr = &p.stderr
	out, err := session.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if p.in, err = session.StdinPipe(); err != nil {
		return nil, err
	}
	if _, err := await(ctx, client, func() (struct{}, error) { return struct{}{}, session.Start(command) }, nil); err != nil {
		p.kill()
		return nil, &sessionError{err: err}
	}
	p.out = wire.NewReader(out)
	go func() {
		p.err = session.Wait()
		close(p.ended)
	}()
	return p, nil
}

// autopsy finds out why nothing more is to be read: readErr is the reader's word for it. An output that is of no use ends the
// process; after a plain end its exit status is on the way.
func (p *process) autopsy(readErr error) *probeError {
	e := &probeError{read: readErr}
	var noise *wire.NoiseError
	if errors.As(readErr, &noise) {
		e.noise = noise.Noise
	}
	if errors.Is(readErr, io.EOF) || errors.Is(readErr, io.ErrUnexpectedEOF) {
		select {
		case <-p.ended:
			e.exit, e.finished = p.err, true
		case <-time.After(p.exit): // also when the connection has ended: x/crypto may not notice
		}
	}
	p.kill()
	e.stderr = p.stderr.String()
	return e
}

// kill does not wait for the message that it sends: on a connection that is stuck it is sent when that is closed.
func (p *process) kill() { go drop(p.ssh) }

// sessionError is sshd's refusal to open a session or to run a command in it.
type sessionError struct{ err error }

func (e *sessionError) Error() string { return fmt.Sprintf("open a session: %v", e.err) }
func (e *sessionError) Unwrap() error { return e.err }

// probeError is the end of a process that should have been a probe.
type probeError struct {
	read     error  // what reading its output came to
	finished bool   // the session ended within the time for that
	exit     error  // then: as ssh.Session.Wait returns it; nil is status 0
	noise    string // what stood on stdout in place of the magic line
	stderr   string
}

func (e *probeError) Error() string {
	if e.exit != nil {
		return e.exit.Error()
	}
	return e.read.Error()
}

func (e *probeError) Unwrap() []error {
	if e.exit == nil {
		return []error{e.read}
	}
	return []error{e.read, e.exit}
}

// status is the exit status; false when there is none: it was ended by a signal, or the connection was.
func (e *probeError) status() (int, bool) {
	var exit *ssh.ExitError
	switch {
	case !e.finished:
		return 0, false
	case e.exit == nil:
		return 0, true
	case errors.As(e.exit, &exit) && exit.Signal() == "":
		return exit.ExitStatus(), true
	default:
		return 0, false
	}
}

// signal is the signal that ended the process, as "KILL"; empty: none did. A shell that outlives its child says 128 and its number.
func (e *probeError) signal() string {
	var exit *ssh.ExitError
	if errors.As(e.exit, &exit) && exit.Signal() != "" {
		return exit.Signal()
	}
	status, _ := e.status()
	return map[int]string{129: "HUP", 137: "KILL", 139: "SEGV", 143: "TERM", 134: "ABRT", 135: "BUS"}[status]
}

// died reports whether the process itself ended, as opposed to the connection.
func (e *probeError) died() bool {
	_, exited := e.status()
	return exited || e.signal() != ""
}

// refusedToRun reports whether a shell found the file but could not execute it for want of permission.
func (e *probeError) refusedToRun() bool {
	status, _ := e.status()
	return status == 126 && !strings.Contains(e.stderr, "Exec format error")
}

// copyState names, for the record, why a copy in this place came to nothing; empty when another place would not help.
func (e *probeError) copyState() string {
	status, ok := e.status()
	switch {
	case ok && status == exitNoWrite:
		return "nowrite"
	case ok && status == exitMismatch:
		return "damaged"
	case ok && (status == exitNoExec || e.refusedToRun()):
		return "noexec"
	default:
		return ""
	}
}

// noPlaceError says that no place on the node takes a probe.
type noPlaceError struct {
	refused []string // "home:noexec"
	uid     string
	words   string
}

func (e *noPlaceError) Error() string {
	return "no place for the probe: " + strings.Join(e.refused, ", ")
}

// list names the places as people call them.
func (e *noPlaceError) list() string {
	reasons := map[string]string{
		"absent": "not there", "nowrite": "cannot be written to", "taken": "not ours alone", "noexec": "mounted noexec", "damaged": "what was copied differs",
	}
	var list []string
	for _, r := range e.refused {
		place, state, _ := strings.Cut(r, ":")
		list = append(list, placeName(place, e.uid)+" ("+reasons[state]+")")
	}
	return strings.Join(list, ", ")
}

// platformError says that the node needs another build than the one that there is.
type platformError struct{ machine, have string }

func (e *platformError) Error() string {
	return fmt.Sprintf("the node is %q, the probe is for %q", e.machine, e.have)
}

// localError is a fault on this side.
type localError struct {
	what  string
	err   error
	hints []string
}

func (e *localError) Error() string { return fmt.Sprintf("%s: %v", e.what, e.err) }
func (e *localError) Unwrap() error { return e.err }

var (
	errNoHello = errors.New("the probe's first message is no hello")
	errClosed  = errors.New("the session was closed")
)
