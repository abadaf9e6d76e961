package smi

import (
	"io"
	"sync"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// sender writes the messages of the session, for any goroutine.
type sender struct {
	mu   sync.Mutex // protects wire, and writes to out
	wire wire.Writer
	out  *io.PipeWriter
}

// begin sends what every session begins with.
func (s *sender) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := io.WriteString(s.out, wire.Magic+"\n")
	return err
}

func (s *sender) sendMessage(m wire.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wire.Write(s.out, m)
}

// closeSession ends the session. The reader of the messages gets the error, and a message that nobody reads is dropped.
func (s *sender) closeSession(err error) { _ = s.out.CloseWithError(err) }
