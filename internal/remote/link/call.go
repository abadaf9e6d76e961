package link

import (
	"context"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// maxPending is how many questions may be unanswered at a time.
const maxPending = 64

// Call asks the probe for something and returns its answer, whatever number r had. A Reply with an Error is an answer: the error of Call
// is that there came none before ctx or the session ended.
func (s *Session) Call(ctx context.Context, r wire.Request) (wire.Reply, error) {
	answer := make(chan wire.Reply, 1)
	var err error
	if r.ID, err = s.expect(answer); err != nil {
		return wire.Reply{}, err
	}
	defer s.forget(r.ID)
	written := make(chan error, 1)
	go func() { // a write may wait for as long as the way is stuck
		defer s.guard()
		written <- s.write(&r)
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
			return wire.Reply{}, s.explain(context.Cause(s.life))
		case <-ctx.Done():
			return wire.Reply{}, context.Cause(ctx)
		}
	}
}

// writeFailed is why a session cannot be written to: mostly that it ends, which its reader is about to say in better words.
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

func (s *Session) write(r *wire.Request) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return wire.Write(s.pipe.In, r)
}

// expect notes that somebody waits for the answer to a request, and returns its number.
func (s *Session) expect(answer chan<- wire.Reply) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) == maxPending {
		return 0, errTooMany
	}
	id := s.id.Add(1)
	s.pending[id] = answer
	return id, nil
}

func (s *Session) forget(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, id)
}

// answered gives a reply to whoever waits for it. Nobody may: it is dropped then, as those to signs of life are.
func (s *Session) answered(r *wire.Reply) {
	s.mu.Lock()
	answer := s.pending[r.ID]
	delete(s.pending, r.ID)
	s.mu.Unlock()
	if answer != nil {
		answer <- *r // it has room for the one
	}
}
