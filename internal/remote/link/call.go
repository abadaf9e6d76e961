package link

import (
	"context"
	"fmt"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// maxPending limits the unanswered questions.
const maxPending = 64

// Call sends a request, under an ID of its own, and returns the answer. A Reply with an Error is an answer; Call fails
// if no answer came before ctx or the session ended. Its error is a reach.ErrNoReply unless the request was certainly
// not sent.
func (s *Session) Call(ctx context.Context, r wire.Request) (wire.Reply, error) {
	if s.life.Err() != nil {
		return wire.Reply{}, s.explain(context.Cause(s.life))
	}
	answer := make(chan wire.Reply, 1)
	var err error
	if r.ID, err = s.addWaiter(answer); err != nil {
		return wire.Reply{}, err
	}
	defer s.dropWaiter(r.ID)
	written := make(chan error, 1)
	go func() { // a write blocks while the connection is stuck
		defer s.catchPanic()
		written <- s.writeRequest(&r)
	}()
	for {
		select {
		case reply := <-answer:
			return reply, nil
		case err := <-written:
			if err != nil {
				return wire.Reply{}, s.writeFailed(ctx, err)
			}
			written = nil
		case <-s.life.Done():
			return s.lastReply(answer, s.explain(context.Cause(s.life)))
		case <-ctx.Done():
			return s.lastReply(answer, context.Cause(ctx))
		}
	}
}

// lastReply returns the answer if it came just before the end. The request was written, or may have been.
func (s *Session) lastReply(answer <-chan wire.Reply, end error) (wire.Reply, error) {
	select {
	case reply := <-answer:
		return reply, nil
	default:
		return wire.Reply{}, fmt.Errorf("%w: %w", reach.ErrNoReply, end)
	}
}

// writeFailed explains a failed write. Usually the session is ending, and its reader will soon know the reason.
func (s *Session) writeFailed(ctx context.Context, err error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*s.limits.Exit)
	defer cancel()
	select {
	case <-s.life.Done():
		return s.explain(context.Cause(s.life))
	case <-ctx.Done():
		return err
	}
}

func (s *Session) writeRequest(r *wire.Request) error {
	s.writing <- struct{}{}
	defer func() { <-s.writing }()
	return wire.Write(s.pipe.In, r)
}

// addWaiter registers a waiter for an answer and returns the ID of the request.
func (s *Session) addWaiter(answer chan<- wire.Reply) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) == maxPending {
		return 0, errTooMany
	}
	id := s.id.Add(1)
	s.pending[id] = answer
	return id, nil
}

func (s *Session) dropWaiter(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, id)
}

// passReply passes a reply to its waiter. A reply without a waiter, such as the reply to a sign of life, is dropped.
func (s *Session) passReply(r *wire.Reply) {
	s.mu.Lock()
	answer := s.pending[r.ID]
	delete(s.pending, r.ID)
	s.mu.Unlock()
	if answer != nil {
		answer <- *r // buffered: never blocks
	}
}
