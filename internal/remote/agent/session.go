package agent

import (
	"context"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/bell"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// session asks an agent again and again. It implements poller.Session.
type session struct {
	ask   func(context.Context) (*status, error)
	ctx   context.Context // of the session
	end   func()
	began time.Time
	paced bell.Bell

	// Only Next uses the following.
	last    *status // the last answer
	greeted bool    // it has a Hello
	fresh   bool    // it has no report yet
	at      time.Time
	seq     uint64

	mu       sync.Mutex    // protects the following
	interval time.Duration // 0: no reports are wanted yet
	second   time.Duration // from the first report to the second, if that is sooner; 0: interval
}

func newSession(ask func(context.Context) (*status, error), first *status) *session {
	s := &session{ask: ask, last: first, fresh: true, began: time.Now(), paced: bell.New()}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.at = s.began
	return s
}

// Next implements poller.Session.
func (s *session) Next() (wire.Message, error) {
	if !s.greeted {
		s.greeted = true
		return wire.Message{Hello: s.last.newHello()}, nil
	}
	if err := s.awaitReport(); err != nil {
		return wire.Message{}, err
	}
	if !s.fresh {
		now, err := s.ask(s.ctx)
		if err != nil {
			return wire.Message{}, err
		}
		changed := !now.hasSameGPUs(s.last)
		s.last, s.fresh, s.at = now, true, time.Now()
		if changed {
			return wire.Message{Hello: now.newHello()}, nil
		}
	}
	s.fresh = false
	s.seq++
	r := s.last.newReport()
	r.Seq, r.MonoMS = s.seq, s.at.Sub(s.began).Milliseconds()
	return wire.Message{Report: r}, nil
}

// awaitReport waits until the next report is due. The first report, and a report after a new Hello, are due at once.
func (s *session) awaitReport() error {
	for {
		s.mu.Lock()
		interval := s.interval
		if s.seq == 1 && s.second > 0 {
			interval = min(interval, s.second)
		}
		s.mu.Unlock()
		var due <-chan time.Time
		switch {
		case interval > 0 && s.fresh:
			return s.ctx.Err()
		case interval > 0:
			due = time.After(time.Until(s.at.Add(interval)))
		}
		select {
		case <-due:
			return nil
		case <-s.paced:
		case <-s.ctx.Done():
			return s.ctx.Err()
		}
	}
}

// Call implements poller.Session. An agent answers no questions; the session itself decides how often to ask it.
func (s *session) Call(_ context.Context, r wire.Request) (wire.Reply, error) {
	if r.Pace == nil {
		return wire.Reply{ID: r.ID, Error: "an agent of nvgpu takes no questions about processes"}, nil
	}
	s.mu.Lock()
	s.interval, s.second = time.Duration(r.Pace.IntervalMS)*time.Millisecond,
		time.Duration(r.Pace.SecondMS)*time.Millisecond
	s.mu.Unlock()
	s.paced.Ring()
	return wire.Reply{ID: r.ID}, nil
}

// Close implements poller.Session.
func (s *session) Close() error {
	s.end()
	return nil
}
