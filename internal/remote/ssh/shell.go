package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// shell is a login on a node. It implements remote.Shell.
type shell struct {
	*trip
	*Sessions
}

// Explain implements remote.Shell.
func (s *shell) Explain(c *remote.Case, err error) { s.trip.Explain(c, err) }

// Sessions is an SSH connection that is logged in. It implements remote.Shell.
type Sessions struct {
	client  *client
	conn    io.Closer
	closing time.Duration // to notice the connection's end
}

// NewSessions returns the Sessions of an SSH connection over conn.
func NewSessions(conn io.Closer, c ssh.Conn, chans <-chan ssh.NewChannel, reqs <-chan *ssh.Request) *Sessions {
	return &Sessions{client: newClient(c, chans, reqs), conn: conn, closing: defaultLimits.closing}
}

// Explain implements remote.Shell.
func (s *Sessions) Explain(c *remote.Case, err error) { (&circumstances{}).explain(c, err) }

// Run implements install.Shell.
func (s *Sessions) Run(ctx context.Context, script string, input io.Reader) (*link.Pipe, error) {
	session, err := await(ctx, s.client.gone, s.client.NewSession, func(late *ssh.Session) { drop(late) })
	if err != nil {
		return nil, &sessionError{err: err}
	}
	words := link.NewWords()
	session.Stderr = words
	out, err1 := session.StdoutPipe()
	in, err2 := session.StdinPipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	kill := func() { go drop(session) } // blocks while the connection is stuck
	_, err = await(ctx, s.client.gone, func() (any, error) {
		if err := session.Start(install.Quoted(script)); err != nil {
			return nil, err
		}
		if input != nil {
			_, _ = io.Copy(in, input) // on error the script has ended: its exit status says more
		}
		return nil, nil
	}, nil)
	if err != nil {
		kill()
		return nil, &sessionError{err: err}
	}
	wait := func() link.Exit {
		// No deadline: until the session or the connection ends.
		_, err := await(context.Background(), s.client.gone, func() (any, error) { return nil, session.Wait() }, nil)
		return exit(err)
	}
	return &link.Pipe{In: in, Out: out, Words: words, Wait: wait, Kill: kill}, nil
}

// exit converts the result of ssh.Session.Wait.
func exit(err error) link.Exit {
	if err == nil {
		return link.Exit{Known: true}
	}
	if e, ok := errors.AsType[*ssh.ExitError](err); ok {
		return link.Exit{Known: true, Status: e.ExitStatus(), Signal: e.Signal()}
	}
	return link.Exit{}
}

// Ping implements link.Way: it asks sshd, whatever the probe does.
func (s *Sessions) Ping(ctx context.Context) error {
	_, err := await(ctx, s.client.gone, func() (any, error) {
		_, _, err := s.client.SendRequest("keepalive@openssh.com", true, nil)
		return nil, err
	}, nil)
	return err
}

// Knock asks sshd to open a session, for connections that carry nothing but sessions. A refusal is an answer too.
func (s *Sessions) Knock(ctx context.Context) error {
	session, err := await(ctx, s.client.gone, s.client.NewSession, func(late *ssh.Session) { drop(late) })
	if _, refused := errors.AsType[*ssh.OpenChannelError](err); refused {
		return nil
	}
	if err != nil {
		return err
	}
	go drop(session) // blocks while the connection is stuck
	return nil
}

// Close implements link.Way. It closes the socket first, which wakes what waits for it; the rest is abandoned.
func (s *Sessions) Close() error {
	defer s.client.abandon()
	drop(s.conn)
	select {
	case <-s.client.gone:
	case <-time.After(s.closing):
	}
	return nil
}

// sessionError is sshd's refusal to open a session or to run a command in it.
type sessionError struct{ err error }

func (e *sessionError) Error() string { return fmt.Sprintf("open a session: %v", e.err) }
func (e *sessionError) Unwrap() error { return e.err }
