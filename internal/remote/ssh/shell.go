package ssh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// shell is a login on a node. It implements remote.Shell.
type shell struct {
	*trip
	client *client
}

// quoted wraps a script so that any login shell passes it to /bin/sh unchanged: sh, csh and fish agree on single quotes, as long as the script
// contains none of the characters that install.Shell excludes.
func quoted(script string) string { return "exec /bin/sh -c '" + script + "'" }

// Run implements install.Shell.
func (s *shell) Run(ctx context.Context, script string, input []byte) (*link.Pipe, error) {
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
		if err := session.Start(quoted(script)); err != nil {
			return nil, err
		}
		_, _ = in.Write(input) // on error the script has ended: its exit status says more
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
func (s *shell) Ping(ctx context.Context) error {
	_, err := await(ctx, s.client.gone, func() (any, error) {
		_, _, err := s.client.SendRequest("keepalive@openssh.com", true, nil)
		return nil, err
	}, nil)
	return err
}

// Close implements link.Way. It closes the socket first, which wakes what waits for it; the rest is abandoned.
func (s *shell) Close() error {
	defer s.client.abandon()
	drop(s.conn)
	select {
	case <-s.client.gone:
	case <-time.After(s.d.limits.closing):
	}
	return nil
}

// sessionError is sshd's refusal to open a session or to run a command in it.
type sessionError struct{ err error }

func (e *sessionError) Error() string { return fmt.Sprintf("open a session: %v", e.err) }
func (e *sessionError) Unwrap() error { return e.err }
