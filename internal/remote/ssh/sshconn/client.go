package sshconn

import (
	"context"
	"fmt"
	"io"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Client is an SSH connection whose calls can be abandoned.
type Client struct {
	*ssh.Client
	Gone    <-chan struct{} // closed when the connection has ended or was abandoned
	abandon func()          // ends the connection without waiting
}

func NewClient(c ssh.Conn, chans <-chan ssh.NewChannel, reqs <-chan *ssh.Request) *Client {
	ctx, cancel := context.WithCancel(context.Background())
	crash.Go(func() {
		defer cancel()
		refuseAll(chans, reqs)
		_ = c.Wait() // Watched knows the error better
	})
	return &Client{Client: &ssh.Client{Conn: c}, Gone: ctx.Done(), abandon: cancel}
}

// refuseAll refuses what sshd asks for, until the connection ends. Any answer shows sshd that the client is alive.
// ssh.NewClient does the same with three goroutines for each connection.
func refuseAll(chans <-chan ssh.NewChannel, reqs <-chan *ssh.Request) {
	for chans != nil || reqs != nil {
		select {
		case c, ok := <-chans:
			if !ok {
				chans = nil
				continue
			}
			_ = c.Reject(ssh.UnknownChannelType, "unknown channel type: "+c.ChannelType())
		case r, ok := <-reqs:
			if !ok {
				reqs = nil
				continue
			}
			_ = r.Reply(false, nil)
		}
	}
}

var ErrGone = fmt.Errorf("connection closed: %w", io.EOF)

// lateAnswer is how long a call may still return its own error after the connection has ended.
const lateAnswer = 100 * time.Millisecond

// Await calls f, which uses a connection, and returns its result. If gone is closed or ctx ends first, it returns an
// error, and a later result of f goes to drop.
//
// x/crypto does not wake every call when a connection ends: opening a channel just after its loop has ended blocks
// forever if the write still succeeds, even if the socket is closed later (golang/go issues 26643 and 50604). Nothing
// can end such a call, so its goroutine is left behind: at most one per attempt to reach a node.
func Await[T any](ctx context.Context, gone <-chan struct{}, f func() (T, error), drop func(T)) (T, error) {
	type result struct {
		value T
		err   error
	}
	guarded := func() (r result) {
		defer reach.Recover(&r.err)
		r.value, r.err = f()
		return r
	}
	done, left := make(chan result), make(chan struct{})
	go func() {
		defer crash.End()
		r := guarded()
		select {
		case done <- r:
		case <-left:
			if r.err == nil && drop != nil {
				drop(r.value)
			}
		}
	}()
	var late <-chan time.Time
	for {
		select {
		case r := <-done:
			return r.value, r.err
		case <-gone:
			gone, late = nil, time.After(lateAnswer)
		case <-late:
			close(left)
			return *new(T), ErrGone
		case <-ctx.Done():
			close(left)
			return *new(T), context.Cause(ctx)
		}
	}
}
