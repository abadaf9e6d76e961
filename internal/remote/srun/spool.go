package srun

import (
	"errors"
	"io"
	"sync"
)

// maxSpooled limits the output of a task that nobody has read yet: several of the longest lines.
const maxSpooled = 4 << 20

var errSpool = errors.New("more output than can be read")

// spool holds the output of one task until it is read, so that a slow reader does not hold up the other tasks.
type spool struct {
	mu    sync.Mutex // protects the following
	more  *sync.Cond
	lines []byte
	end   error // after the lines; nil: not known yet
}

func newSpool() *spool {
	s := &spool{}
	s.more = sync.NewCond(&s.mu)
	return s
}

// addOutput adds output. Output after the end is dropped.
func (s *spool) addOutput(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.end != nil:
		return
	case len(s.lines)+len(line) > maxSpooled:
		s.end = errSpool
	default:
		s.lines = append(s.lines, line...)
	}
	s.more.Signal()
}

// closeOutput ends the output; the first end counts.
func (s *spool) closeOutput(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end == nil {
		s.end = err
	}
	s.more.Broadcast()
}

// discardOutput ends the output and discards its unread part.
func (s *spool) discardOutput() {
	s.closeOutput(io.ErrClosedPipe)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = nil
}

// Read implements io.Reader.
func (s *spool) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.lines) == 0 && s.end == nil {
		s.more.Wait()
	}
	if len(s.lines) == 0 {
		return 0, s.end
	}
	n := copy(p, s.lines)
	if s.lines = s.lines[n:]; len(s.lines) == 0 {
		s.lines = nil
	}
	return n, nil
}
