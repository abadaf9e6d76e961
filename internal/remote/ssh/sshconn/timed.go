package sshconn

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// deadlineConn turns a stream without deadlines into a connection. One deadline is enough, for a handshake. When it
// expires the stream is closed, since nothing else would wake its readers.
type deadlineConn struct {
	io.ReadWriteCloser
	peer   peer
	closed func() // called once

	mu    sync.Mutex
	timer *time.Timer
	late  bool // the deadline has expired
}

func Timed(rw io.ReadWriteCloser, host, port string, closed func()) *deadlineConn {
	return &deadlineConn{ReadWriteCloser: rw, peer: peer(net.JoinHostPort(host, port)), closed: sync.OnceFunc(closed)}
}

// peer is the address, host:port, of a host to which we have no connection of our own.
type peer string

// Network implements net.Addr.
func (peer) Network() string                 { return "tcp" }
func (p peer) String() string                { return string(p) }
func (c *deadlineConn) LocalAddr() net.Addr  { return peer("localhost:0") }
func (c *deadlineConn) RemoteAddr() net.Addr { return c.peer }

func (c *deadlineConn) Read(p []byte) (int, error) {
	n, err := c.ReadWriteCloser.Read(p)
	return n, c.deadlineError(err)
}

func (c *deadlineConn) Write(p []byte) (int, error) {
	n, err := c.ReadWriteCloser.Write(p)
	return n, c.deadlineError(err)
}

func (c *deadlineConn) deadlineError(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.late {
		return os.ErrDeadlineExceeded
	}
	return err
}

// Close implements net.Conn. It does not wait.
func (c *deadlineConn) Close() error {
	_ = c.SetDeadline(time.Time{})
	c.closed()
	return nil
}

// SetDeadline implements net.Conn.
func (c *deadlineConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
	if !t.IsZero() {
		c.timer = time.AfterFunc(time.Until(t), c.closeLate)
	}
	return nil
}

func (c *deadlineConn) closeLate() {
	c.mu.Lock()
	c.late = true
	c.mu.Unlock()
	c.closed()
}

// SetReadDeadline implements net.Conn.
func (c *deadlineConn) SetReadDeadline(time.Time) error { return os.ErrNoDeadline }

// SetWriteDeadline implements net.Conn.
func (c *deadlineConn) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }
