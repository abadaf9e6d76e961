// Package text holds helpers, used by several packages, for text from other programs: they limit it, cut it between
// characters, take its first line, or put it into a table. It also suggests the known name nearest to a mistyped one,
// and writes durations. A Table lays out columns within the width of an output; its callers print the cells, with
// colors of their own.
//
// Any number of goroutines may use a Capture; the rest are pure functions.
package text

import (
	"encoding/json"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Capture keeps the first Limit bytes that are written to it. After that it fails with Full, so that a command writing
// to it ends with a broken pipe. If Full is nil, it drops the rest.
type Capture struct {
	Limit int
	Full  error

	mu      sync.Mutex // protects the following
	buf     []byte
	written int
	most    int    // bytes that may be written before flooded is called
	flooded func() // nil: there is no such limit, or flooded has been called
}

// Guard makes the Capture call flooded, once, when more than most bytes have been written.
func (c *Capture) Guard(most int, flooded func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.most, c.flooded = most, flooded
}

func (c *Capture) Write(p []byte) (int, error) {
	if flooded := c.countWritten(len(p)); flooded != nil {
		flooded()
	}
	return c.keepBytes(p)
}

// countWritten counts n bytes, and returns the function to call now; nil: none.
func (c *Capture) countWritten(n int) (flooded func()) {
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

func (c *Capture) keepBytes(p []byte) (int, error) {
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

// ReadFrom implements io.ReaderFrom, to avoid the 32 KiB buffer of io.Copy.
func (c *Capture) ReadFrom(r io.Reader) (int64, error) {
	// these types hide ReadFrom and WriteTo
	return io.CopyBuffer(struct{ io.Writer }{c}, struct{ io.Reader }{r}, make([]byte, 1<<10))
}

// Bytes returns the bytes that were kept. Nothing may be written after this call.
func (c *Capture) Bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.buf
}

func (c *Capture) String() string { return string(c.Bytes()) }

// Cut returns the beginning of s, at most limit bytes, cut between two characters.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// FirstLine returns s up to its first newline.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Plain reports whether s is only printable ASCII. Nearly every string is, and needs no further checks.
func Plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// WriteJSON writes a document with a newline at its end, and leaves the text in it unescaped. With an indent, each
// member has a line.
func WriteJSON(w io.Writer, indent string, document any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", indent)
	e.SetEscapeHTML(false)
	return e.Encode(document)
}
