// Package link talks to a probe over a pipe: the magic line, the Hello, reports, questions and answers, signs of life,
// and the end. A Shell makes the pipe.
//
// Sessions whose probes read one input share its sign of life, a Pulse, with one timer.
//
// A Session owns a goroutine that reads, one that waits for the exit status, and timers. Any number of goroutines may
// use Call and Close; only one may use Next. Guarantees: no method outlives its context or the session; a session whose
// far end falls silent ends by itself; Close returns soon and leaves nothing running that the pipe can end; a panic in
// this package ends the session, not the program. The far end cannot make the session hold more than one line, the
// beginning of its standard error, and the awaited answers. More answers than questions, or a flood on standard error,
// end the session.
package link

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// Pipe is a program that runs anywhere: its three streams and its end.
type Pipe struct {
	In    io.WriteCloser // each Write is one or more whole lines
	Out   io.Reader
	Words *text.Capture // the beginning of its standard error
	Wait  func() Exit   // returns when the program has ended or cannot be waited for; called once
	// ends the program, or at least our end of it, so that Out ends; does not block, may be called again
	Kill  func()
	Pulse *Pulse // its requests reach the program too; nil: the program reads only what is written to In
}

// NewWords returns a Pipe's Words.
func NewWords() *text.Capture { return &text.Capture{Limit: 32 << 10} }

// maxStderr is the most that a program may write to its standard error: more ends its session.
const maxStderr = 1 << 20

// Exit is how a program ended. The zero value means unknown: the connection ended first.
type Exit struct {
	Known  bool
	Status int
	Signal string // the one that ended it, such as "KILL"; empty: none
}

// PipeConn is the connection that carries the pipe.
type PipeConn interface {
	Ping(context.Context) error // asks the far end of the connection, not the program, whether it is alive
	Close() error               // closes it, with everything that runs over it
}

// EndError is the end of a program that is a probe, or should have become one.
type EndError struct {
	Read   error // the error from reading its output
	Exit   Exit
	Noise  string // its output in place of the magic line
	Stderr string
}

func (e *EndError) Error() string {
	switch {
	case e.Signal() != "":
		return "ended by signal " + e.Signal()
	case e.Exit.Known:
		return fmt.Sprintf("ended with status %d", e.Exit.Status)
	}
	return e.Read.Error()
}

func (e *EndError) Unwrap() error { return e.Read }

// IsEnd reports whether the output ended, rather than being unreadable.
func (e *EndError) IsEnd() bool {
	return errors.Is(e.Read, io.EOF) || errors.Is(e.Read, io.ErrUnexpectedEOF)
}

// Status returns the exit status; false if there is none: a signal ended the program, or the connection ended first.
func (e *EndError) Status() (int, bool) { return e.Exit.Status, e.Exit.Known && e.Exit.Signal == "" }

// Signal returns the signal that ended the program, such as "KILL"; empty: none. A shell that outlives its child exits
// with 128 plus the number of the child's signal.
func (e *EndError) Signal() string {
	if e.Exit.Signal != "" {
		return e.Exit.Signal
	}
	status, _ := e.Status()
	return map[int]string{129: "HUP", 137: "KILL", 139: "SEGV", 143: "TERM", 134: "ABRT", 135: "BUS",
		152: "XCPU", 153: "XFSZ"}[status]
}

// Errors that end a Session, besides *EndError.
var (
	ErrSilent  = errors.New("no data received")
	ErrClosed  = errors.New("session closed")
	ErrUnasked = errors.New("more answers than requests")
	ErrWords   = errors.New("too much output on standard error")
	errNoHello = errors.New("first message is not a hello")
	errUnknown = errors.New("message is not a hello, report or reply")
	errTooMany = fmt.Errorf("%d questions unanswered", maxPending)
)
