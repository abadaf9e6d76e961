package remote

import (
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// watchedConn is a TCP connection that can be asked afterwards what went wrong with it: x/crypto hides the cause of a lost
// connection behind an EOF. It also holds the deadlines that no other layer has: a bound on silence and one on each write.
type watchedConn struct {
	net.Conn
	write   time.Duration
	silence atomic.Int64 // when not 0: each Read may wait for that long
	last    atomic.Int64 // UnixNano of the last bytes that came

	mu       sync.Mutex
	greeting []byte // up to the end of the server's version line
	greeted  bool
	err      error // the first of Read or Write
}

// maxGreeting caps what a server may say before its version line.
const maxGreeting = 4 << 10

func watch(c net.Conn, write time.Duration) *watchedConn { return &watchedConn{Conn: c, write: write} }

// allow gives all that is done with the connection d from now; 0 is no limit. A connection that takes no deadline is closed, and
// says so when it is used.
func (c *watchedConn) allow(d time.Duration) {
	var until time.Time
	if d > 0 {
		until = time.Now().Add(d)
	}
	_ = c.SetDeadline(until)
}

// expectWithin makes every Read fail that brings nothing for d, from now on and the one that waits already.
func (c *watchedConn) expectWithin(d time.Duration) {
	c.silence.Store(int64(d))
	_ = c.SetReadDeadline(time.Now().Add(d))
}

// quiet is how long nothing has come.
func (c *watchedConn) quiet() time.Duration { return time.Since(time.Unix(0, c.last.Load())) }

func (c *watchedConn) Read(p []byte) (int, error) {
	if d := c.silence.Load(); d != 0 {
		_ = c.SetReadDeadline(time.Now().Add(time.Duration(d)))
	}
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.last.Store(time.Now().UnixNano())
	}
	c.note(p[:n], err)
	return n, err
}

func (c *watchedConn) Write(p []byte) (int, error) {
	if c.silence.Load() != 0 {
		_ = c.SetWriteDeadline(time.Now().Add(c.write))
	}
	n, err := c.Conn.Write(p)
	c.note(nil, err)
	return n, err
}

func (c *watchedConn) note(p []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.err == nil {
		c.err = err
	}
	if c.greeted {
		return
	}
	c.greeting = append(c.greeting, p[:min(len(p), maxGreeting-len(c.greeting))]...)
	if v := bytes.Index(c.greeting, []byte("SSH-")); len(c.greeting) == maxGreeting || v >= 0 && bytes.IndexByte(c.greeting[v:], '\n') >= 0 {
		c.greeted = true
	}
}

func (c *watchedConn) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// serverVersion is the server's software: "OpenSSH_9.2p1".
func (c *watchedConn) serverVersion() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for line := range strings.Lines(string(c.greeting)) {
		if rest, ok := strings.CutPrefix(line, "SSH-2.0-"); ok {
			software, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			return software
		}
	}
	return ""
}

// preamble is what the server said in place of its version line, or before it.
func (c *watchedConn) preamble() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	words, _, _ := strings.Cut(string(c.greeting), "SSH-2.0-")
	return words
}

// drop closes what nobody needs any more: there is nobody left to whom an error would matter.
func drop(c io.Closer) { c.Close() }
