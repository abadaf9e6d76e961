// Package sshconn is one SSH connection: the stream under it, which remembers why it broke, and the sessions over it.
// It abandons calls that x/crypto would never end. It also has what a connection logs in with: key files, read once for
// all nodes, the user's secrets, in memory only, and algorithms, the cheapest first.
package sshconn

import (
	"context"
	"errors"
	"io"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/install"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
)

// Sessions is an SSH connection that is logged in. It implements remote.Shell.
type Sessions struct {
	Client  *Client
	conn    io.Closer
	closing time.Duration // how long to wait for the connection's end
}

// NewSessions returns the Sessions of an SSH connection over conn.
func NewSessions(conn io.Closer, c ssh.Conn, chans <-chan ssh.NewChannel, reqs <-chan *ssh.Request) *Sessions {
	return Over(NewClient(c, chans, reqs), conn, UsualClosing)
}

// UsualClosing is how long to wait for the end of a connection.
const UsualClosing = 300 * time.Millisecond

// Over returns the Sessions of a client over conn. closing is how long to wait for the end of conn.
func Over(c *Client, conn io.Closer, closing time.Duration) *Sessions {
	return &Sessions{Client: c, conn: conn, closing: closing}
}

// Explain implements remote.Shell.
func (s *Sessions) Explain(c *remote.Case, err error) { (&advice.Circumstances{}).Explain(c, err) }

// Run implements install.Shell.
func (s *Sessions) Run(ctx context.Context, script string, input io.Reader) (*link.Pipe, error) {
	session, err := Await(ctx, s.Client.Gone, s.Client.NewSession, func(late *ssh.Session) { late.Close() })
	if err != nil {
		return nil, &advice.SessionError{Err: err}
	}
	words := link.NewWords()
	session.Stderr = words
	out, err1 := session.StdoutPipe()
	in, err2 := session.StdinPipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	kill := func() { crash.Go(func() { _ = session.Close() }) } // blocks while the connection is stuck
	_, err = Await(ctx, s.Client.Gone, func() (any, error) {
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
		return nil, &advice.SessionError{Err: err}
	}
	// It needs no Await, which would take a goroutine more for each node: it ends with the session or the connection,
	// and link waits for it only for a while.
	wait := func() link.Exit { return exitOf(session.Wait()) }
	return &link.Pipe{In: in, Out: out, Words: words, Wait: wait, Kill: kill}, nil
}

// exitOf converts the result of ssh.Session.Wait.
func exitOf(err error) link.Exit {
	if err == nil {
		return link.Exit{Known: true}
	}
	if e, ok := errors.AsType[*ssh.ExitError](err); ok {
		return link.Exit{Known: true, Status: e.ExitStatus(), Signal: e.Signal()}
	}
	return link.Exit{}
}

// Ping implements link.Way: it asks sshd, whatever the probe is doing.
func (s *Sessions) Ping(ctx context.Context) error {
	_, err := Await(ctx, s.Client.Gone, func() (any, error) {
		_, _, err := s.Client.SendRequest("keepalive@openssh.com", true, nil)
		return nil, err
	}, nil)
	return err
}

// Knock asks sshd to open a session, on connections that carry only sessions. A refusal is an answer too.
func (s *Sessions) Knock(ctx context.Context) error {
	session, err := Await(ctx, s.Client.Gone, s.Client.NewSession, func(late *ssh.Session) { late.Close() })
	if _, refused := errors.AsType[*ssh.OpenChannelError](err); refused {
		return nil
	}
	if err != nil {
		return err
	}
	crash.Go(func() { _ = session.Close() }) // blocks while the connection is stuck
	return nil
}

// Close implements link.Way. It closes the socket first, which wakes all calls that wait for it, and abandons the rest.
func (s *Sessions) Close() error {
	defer s.Client.abandon()
	s.conn.Close()
	select {
	case <-s.Client.Gone:
	case <-time.After(s.closing):
	}
	return nil
}
