package ssh

import (
	"context"
	"fmt"
	"io"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/reach"
)

// client is an SSH connection that can be waited on without being stuck in it.
type client struct {
	*ssh.Client
	gone    <-chan struct{} // closed when the connection has ended, or was given up
	abandon func()          // gives it up: nothing waits for it any more
}

func newClient(c ssh.Conn, chans <-chan ssh.NewChannel, reqs <-chan *ssh.Request) *client {
	ctx, cancel := context.WithCancel(context.Background())
	cl := &client{Client: ssh.NewClient(c, chans, reqs), gone: ctx.Done(), abandon: cancel}
	go func() {
		_ = cl.Wait() // what the connection came to, watchedConn knows better
		cancel()
	}()
	return cl
}

var errGone = fmt.Errorf("connection closed: %w", io.EOF)

// lateAnswer is how long a call may take to say itself why it failed when the connection has just ended.
const lateAnswer = 100 * time.Millisecond

// await calls f, which talks over a connection, and returns what it returned; or an error when gone is closed or ctx ends before. What f
// returns later is given to drop.
//
// x/crypto does not wake every call when a connection ends: a channel that is opened just after its loop has gone is waited for for ever
// if the write still succeeds, whether the socket is closed then or not (golang/go issues 26643 and 50604). Such a call, and the
// goroutine that it is in, cannot be ended by anybody and is left behind: one at most for an attempt to reach a node.
func await[T any](ctx context.Context, gone <-chan struct{}, f func() (T, error), drop func(T)) (T, error) {
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
			return *new(T), errGone
		case <-ctx.Done():
			close(left)
			return *new(T), context.Cause(ctx)
		}
	}
}
