package sshconn

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// timed turns a stream without deadlines into a connection. One deadline is enough, for a handshake. When it expires
// the stream is closed, since nothing else would wake its readers.
type timed struct {
	io.ReadWriteCloser
	peer   peer
	closed func() // called once

	mu    sync.Mutex
	timer *time.Timer
	late  bool // the deadline has expired
}

func Timed(rw io.ReadWriteCloser, host, port string, closed func()) *timed {
	return &timed{ReadWriteCloser: rw, peer: peer(net.JoinHostPort(host, port)), closed: sync.OnceFunc(closed)}
}

// peer is the address, host:port, of a host to which we have no connection of our own.
type peer string

// Network implements net.Addr.
func (peer) Network() string          { return "tcp" }
func (p peer) String() string         { return string(p) }
func (c *timed) LocalAddr() net.Addr  { return peer("localhost:0") }
func (c *timed) RemoteAddr() net.Addr { return c.peer }

func (c *timed) Read(p []byte) (int, error) {
	n, err := c.ReadWriteCloser.Read(p)
	return n, c.deadlineError(err)
}

func (c *timed) Write(p []byte) (int, error) {
	n, err := c.ReadWriteCloser.Write(p)
	return n, c.deadlineError(err)
}

func (c *timed) deadlineError(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.late {
		return os.ErrDeadlineExceeded
	}
	return err
}

// Close implements net.Conn. It does not wait.
func (c *timed) Close() error {
	_ = c.SetDeadline(time.Time{})
	c.closed()
	return nil
}

// SetDeadline implements net.Conn.
func (c *timed) SetDeadline(t time.Time) error {
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

func (c *timed) closeLate() {
	c.mu.Lock()
	c.late = true
	c.mu.Unlock()
	c.closed()
}

// SetReadDeadline implements net.Conn.
func (c *timed) SetReadDeadline(time.Time) error { return os.ErrNoDeadline }

// SetWriteDeadline implements net.Conn.
func (c *timed) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }
