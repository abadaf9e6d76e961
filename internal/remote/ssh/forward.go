package ssh

import (
	"context"
	"net"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/sshconn"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// jumpRequest is a request to a jump host that has not been answered yet.
type jumpRequest struct {
	done chan struct{} // closed when conn or err is set
	conn net.Conn
	err  error
	left bool // nobody waits for it any longer
}

// openConn opens a connection from the jump host to a host. A request cannot be withdrawn, so the next call for the
// same host takes its result. A dead host thus has at most one open request.
func (j *jump) openConn(ctx context.Context, s *shell, host, port string) (net.Conn, error) {
	if s.conn.Failure() != nil { // x/crypto may wait forever for a new request, see Await
		return nil, &advice.OpenError{Err: sshconn.ErrGone}
	}
	o := j.requestConn(s, net.JoinHostPort(host, port))
	var err error
	select {
	case <-o.done:
	case <-s.Client.Gone:
		err = &advice.OpenError{Err: sshconn.ErrGone}
	case <-ctx.Done():
		err = context.Cause(ctx)
		select {
		case j.doubt <- struct{}{}: // which one does not answer, the host or the jump host?
		default:
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		o.left = true
		if conn := o.conn; conn != nil { // it came just now
			crash.Go(func() { closeQuietly(conn) })
		}
		return nil, err
	}
	if o.err != nil {
		return nil, &advice.OpenError{Err: o.err}
	}
	conn := o.conn
	j.streams++
	closed := func() {
		j.mu.Lock()
		j.streams--
		j.used = time.Now()
		j.mu.Unlock()
		crash.Go(func() { closeQuietly(conn) }) // blocks while the connection is stuck
	}
	return sshconn.Timed(conn, host, port, closed), nil
}

// requestConn returns the open request for an address, and makes one if there is none.
func (j *jump) requestConn(s *shell, address string) *jumpRequest {
	j.mu.Lock()
	defer j.mu.Unlock()
	if o := j.openings[address]; o != nil && o.left {
		o.left = false
		return o
	}
	o := &jumpRequest{done: make(chan struct{})}
	j.openings[address] = o
	go func() {
		defer crash.End()
		conn, err := func() (c net.Conn, err error) {
			defer reach.Recover(&err)
			return s.Client.Dial("tcp", address)
		}()
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.openings[address] == o {
			delete(j.openings, address)
		}
		o.conn, o.err = conn, err
		if o.left && conn != nil {
			crash.Go(func() { closeQuietly(conn) })
		}
		close(o.done)
	}()
	return o
}
