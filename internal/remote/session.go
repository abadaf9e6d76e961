package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// ownIDs is where the request numbers of a session's own Alives begin: far above any that a caller counts up to, and exact in
// every JSON implementation.
const ownIDs = 1 << 52

// session implements poller.Session.
type session struct {
	a      *attempt
	client *client
	p      *process
	hello  *wire.Hello // until Next has handed it out

	writing sync.Mutex
	beat    *time.Timer // sends Alives; it is a goroutine only while it does
	beats   uint64

	closing sync.Once
	closed  chan struct{}
}

func newSession(a *attempt, client *client, p *process, hello *wire.Hello) *session {
	s := &session{a: a, client: client, p: p, hello: hello, closed: make(chan struct{})}
	a.conn.expectWithin(a.d.limits.silence)
	s.writing.Lock()
	defer s.writing.Unlock()
	s.beat = time.AfterFunc(a.d.limits.alive, s.keepAlive)
	return s
}

// Next implements poller.Session. It is for one goroutine.
func (s *session) Next() (wire.Message, error) {
	if hello := s.hello; hello != nil {
		s.hello = nil
		return wire.Message{Hello: hello}, nil
	}
	for {
		var m wire.Message
		if err := s.p.out.Next(&m); err != nil {
			return wire.Message{}, s.failure(err)
		}
		if m.Hello == nil && m.Report == nil && m.Reply == nil {
			return wire.Message{}, s.failure(errors.New("a message that is no hello, report or reply"))
		}
		if m.Reply != nil && m.Reply.ID >= ownIDs {
			continue
		}
		return m, nil
	}
}

func (s *session) failure(err error) error {
	select {
	case <-s.closed:
		return fmt.Errorf("%q: %w", s.a.node, errClosed)
	default:
	}
	end := s.p.autopsy(err)
	c := s.a.circumstances()
	c.stage, c.words = "", ""
	return classify(c, end).failure
}

// Send implements poller.Session.
func (s *session) Send(r wire.Request) error {
	if err := s.write(r); err != nil {
		return fmt.Errorf("send to %q: %w", s.a.node, err)
	}
	return nil
}

func (s *session) write(r wire.Request) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return wire.Write(s.p.in, r)
}

// keepAlive tells the probe that somebody is here, else it ends itself. Its answer also proves that the way back works. When even
// so nothing has come for a while, sshd is asked: an answer of it keeps the connection while the probe is busy, and without one the
// bound on silence ends the session.
func (s *session) keepAlive() {
	s.beats++
	if s.write(wire.Request{ID: ownIDs + s.beats, Alive: &wire.Alive{}}) != nil {
		return // the connection is gone: Next says so
	}
	if s.a.conn.quiet() > s.a.d.limits.alive/2 {
		ctx, cancel := context.WithTimeout(context.Background(), s.a.d.limits.silence)
		defer cancel()
		ask := func() (bool, error) {
			_, _, err := s.client.SendRequest("keepalive@openssh.com", true, nil)
			return true, err
		}
		if _, err := await(ctx, s.client, ask, nil); err != nil {
			return
		}
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	select {
	case <-s.closed:
	default:
		s.beat.Reset(s.a.d.limits.alive)
	}
}

// Close implements poller.Session. The probe ends when its standard input does, which takes a moment; after it, or when that takes
// too long, the connection is closed whatever the node does.
func (s *session) Close() error {
	s.closing.Do(func() {
		close(s.closed)
		// It comes first: whoever holds the lock below may be stuck in a write.
		cut := time.AfterFunc(s.a.d.limits.closing, func() { drop(s.a.conn) })
		defer cut.Stop()
		s.writing.Lock()
		s.beat.Stop()
		s.writing.Unlock()
		go drop(s.p.in) // it may be stuck, too
		select {
		case <-s.p.ended: // by itself, or because the connection was cut
		case <-s.client.gone:
		}
		drop(s.client)
		select {
		case <-s.client.gone:
		case <-time.After(s.a.d.limits.closing):
		}
	})
	return nil
}
