// Package text holds the little that several packages do to words that are not ours: keep their beginning, cut them at a character, take
// their first line, tell the plain ones.
//
// It is a leaf. A Capture may be used by any number of goroutines; the rest are pure functions.
package text

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Capture keeps the first Limit bytes that are written to it. Beyond them it fails with Full, which ends a command by a broken pipe, or
// drops the rest when Full is nil.
type Capture struct {
	Limit int
	Full  error

	mu      sync.Mutex // protects the following
	buf     []byte
	written int
	most    int    // that may be written before flooded is called
	flooded func() // nil: there is no such limit, or it has been called
}

// Guard has flooded called, once, when more than most bytes have been written.
func (c *Capture) Guard(most int, flooded func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.most, c.flooded = most, flooded
}

func (c *Capture) Write(p []byte) (int, error) {
	if flooded := c.count(len(p)); flooded != nil {
		flooded()
	}
	return c.keep(p)
}

// count returns what is to be called now.
func (c *Capture) count(n int) (flooded func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flooded == nil {
		return nil
	}
	if c.written += n; c.written > c.most {
		flooded, c.flooded = c.flooded, nil
	}
	return flooded
}

func (c *Capture) keep(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	room := c.Limit - len(c.buf)
	if len(p) <= room {
		c.buf = append(c.buf, p...)
		return len(p), nil
	}
	c.buf = append(c.buf, p[:room]...)
	if c.Full != nil {
		return room, c.Full
	}
	return len(p), nil
}

// ReadFrom spares each user the 32 KiB buffer of io.Copy.
func (c *Capture) ReadFrom(r io.Reader) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{c}, struct{ io.Reader }{r}, make([]byte, 1<<10)) // bare, so that their own copying is not used
}

// Bytes is what was kept. Nothing may be written any more.
func (c *Capture) Bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.buf
}

func (c *Capture) String() string { return string(c.Bytes()) }

// Cut is the beginning of s of at most limit bytes, cut between two characters.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// FirstLine is s up to its first newline.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Plain reports whether s is printable ASCII throughout: nearly every string is, and needs no closer look.
func Plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
