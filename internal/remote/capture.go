package remote

import (
	"io"
	"strings"
	"sync"
)

// maxCapture is how much of a node's stderr or banners is kept; maxWords how much of it a Failure carries.
const (
	maxCapture = 32 << 10
	maxWords   = 4 << 10
)

// capture keeps the beginning of what is written to it and drops the rest. The zero value is ready for use, by several goroutines.
type capture struct {
	mu  sync.Mutex
	buf []byte
}

// keep adds to what is kept while there is room.
func (c *capture) keep(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buf = append(c.buf, p[:min(len(p), maxCapture-len(c.buf))]...)
}

func (c *capture) Write(p []byte) (int, error) {
	c.keep(p)
	return len(p), nil
}

// ReadFrom spares each session the 32 KiB buffer of io.Copy.
func (c *capture) ReadFrom(r io.Reader) (int64, error) {
	var total int64
	buf := make([]byte, 512)
	for {
		n, err := r.Read(buf)
		c.keep(buf[:n])
		total += int64(n)
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}

func (c *capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.buf)
}

// joinWords puts texts on lines of their own, without empty ones.
func joinWords(texts ...string) string {
	var kept []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, "\n")
}

// capWords cuts words in their middle when they are longer than maxWords: a legal notice of any length may stand before the line
// that counts, and garbage is known by its beginning.
func capWords(words string) string {
	if len(words) <= maxWords {
		return words
	}
	const head, gap = maxWords / 4, "\n…\n"
	return words[:head] + gap + words[len(words)-(maxWords-head-len(gap)):]
}
