package sshconn

import (
	"bytes"
	"net"
	"strings"
	"sync"
	"time"
)

// Watched is a TCP connection that remembers its error: x/crypto hides the cause of a lost connection behind an
// EOF.
type Watched struct {
	net.Conn
	Greet func() error // called once, when the server's version line has arrived; nil: not called

	mu       sync.Mutex
	greeting []byte // the server's output up to the end of its version line
	greeted  bool
	err      error // the first error of Read or Write
}

// maxGreeting limits the server's output before its version line.
const maxGreeting = 4 << 10

// Allow sets a deadline of d for everything done with the connection; 0 means none. If that fails it closes the
// connection, as its next use shows.
func (c *Watched) Allow(d time.Duration) {
	var until time.Time
	if d > 0 {
		until = time.Now().Add(d)
	}
	_ = c.SetDeadline(until)
}

func (c *Watched) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if greeted := c.noteGreeting(p[:n], err); greeted && c.Greet != nil && err == nil {
		err = c.Greet()
	}
	return n, err
}

func (c *Watched) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.noteGreeting(nil, err)
	return n, err
}

// noteGreeting remembers the bytes read, and reports whether they end the version line.
func (c *Watched) noteGreeting(p []byte, err error) (greeted bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.err == nil {
		c.err = err
	}
	if c.greeted {
		return false
	}
	c.greeting = append(c.greeting, p[:min(len(p), maxGreeting-len(c.greeting))]...)
	if v := bytes.Index(c.greeting, []byte("SSH-")); len(c.greeting) == maxGreeting || v >= 0 &&
		bytes.IndexByte(c.greeting[v:], '\n') >= 0 {
		c.greeted = true
	}
	return c.greeted
}

func (c *Watched) Failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// ServerVersion returns the server's software: "OpenSSH_9.2p1".
func (c *Watched) ServerVersion() string {
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

// Preamble returns the server's output before, or instead of, its version line.
func (c *Watched) Preamble() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	words, _, _ := strings.Cut(string(c.greeting), "SSH-2.0-")
	return words
}
