// Package link is what is said over a pipe with a probe at its far end: the magic line, the Hello, reports, questions and their answers,
// signs of life, and how it ends. It does not know how the pipe came to be: that is a Shell's.
//
// A Session owns a goroutine that reads and one that waits for the far end's exit status, and timers. Call may be used by any number of
// goroutines, Next by one; Close by all. Guarantees: no method waits longer than its context, or than the session lives; a session
// whose far end is silent ends by itself; Close returns within moments and leaves nothing behind but what the pipe itself cannot end;
// a mistake of ours that panics here ends the session, not the program. What a far end can make us hold is bounded: a line, the words
// that it says on standard error, and answers that somebody waits for.
package link

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nvnodetop/nvnodetop/internal/text"
)

// Pipe is a program that runs somewhere: its three streams, and how it ends.
type Pipe struct {
	In    io.WriteCloser // each Write is one or more whole lines
	Out   io.Reader
	Words *text.Capture // what it says on standard error
	Wait  func() Exit   // returns when the program has ended, or can no longer be waited for; is called once
	Kill  func()        // ends the program, or at least our end of it, so that Out ends; does not wait, may be called again
}

// NewWords makes a Pipe's Words. It keeps the beginning of what a program says on standard error.
func NewWords() *text.Capture { return &text.Capture{Limit: 32 << 10} }

// maxStderr is how much a program may say on standard error, kept or not, before its session ends.
const maxStderr = 1 << 20

// Exit is how a program ended. The zero value says that nobody knows: the way to the program ended first.
type Exit struct {
	Known  bool
	Status int
	Signal string // that ended it, as "KILL"; empty: none did
}

// Way is what carries the pipe.
type Way interface {
	Ping(context.Context) error // asks the other end of the way, apart from the program, whether it is there
	Close() error               // cuts it, with all that runs over it
}

// EndError is the end of a program that should have been a probe.
type EndError struct {
	Read   error // what reading its output came to
	Exit   Exit
	Noise  string // what stood on its output in place of the magic line
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

// IsEnd reports whether the output just ended, as opposed to being unreadable.
func (e *EndError) IsEnd() bool {
	return errors.Is(e.Read, io.EOF) || errors.Is(e.Read, io.ErrUnexpectedEOF)
}

// Status is the exit status; false when there is none: a signal ended it, or the way to it ended first.
func (e *EndError) Status() (int, bool) { return e.Exit.Status, e.Exit.Known && e.Exit.Signal == "" }

// Signal is the signal that ended the program, as "KILL"; empty: none did. A shell that outlives its child says 128 and its number.
func (e *EndError) Signal() string {
	if e.Exit.Signal != "" {
		return e.Exit.Signal
	}
	status, _ := e.Status()
	return map[int]string{129: "HUP", 137: "KILL", 139: "SEGV", 143: "TERM", 134: "ABRT", 135: "BUS"}[status]
}

// Errors that a Session ends with, beside *EndError.
var (
	ErrSilent  = errors.New("no data received")
	ErrClosed  = errors.New("session closed")
	ErrUnasked = errors.New("more answers than requests")
	ErrWords   = errors.New("flood on standard error")
	errNoHello = errors.New("first message is not a hello")
	errUnknown = errors.New("message is not a hello, report or reply")
	errTooMany = fmt.Errorf("%d questions unanswered", maxPending)
)
