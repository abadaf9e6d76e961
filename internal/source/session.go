package source

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/bell"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
)

// A Session runs a Source of Events. A goroutine passes the Events to a Store or to other takers, and wakes the
// goroutines that wait for news. A session ends with its context, by Stop, or when the Source has ended, and says why.

// Session is a running Source. Its Task is the run of the Source, which may take a while to close its sessions.
type Session struct {
	*Task
	from  cluster.Source
	takes []func(cluster.Event)
	ctx   context.Context // ends when the Source should end or has ended
	stop  context.CancelFunc
	news  bell.Bell // rings after each Event
}

// StartSession runs a Source until ctx ends. Every taker gets each Event of the Source, one after the other. Events
// from Tell may come in between.
func StartSession(ctx context.Context, from cluster.Source, takers ...func(cluster.Event)) *Session {
	s := &Session{from: from, takes: takers, news: bell.New()}
	s.ctx, s.stop = context.WithCancel(ctx)
	s.Task = StartTask(s.runSource)
	s.Then(s.stop)
	return s
}

// runSource runs the Source, and turns a panic into an error, so that a terminal is restored before the program ends.
func (s *Session) runSource() (err error) {
	defer crash.Recover(&err)
	return s.from.Run(s.ctx, s.take)
}

func (s *Session) take(e cluster.Event) {
	for _, take := range s.takes {
		take(e)
	}
	s.news.Ring()
}

// Tell passes an Event that is not from the Source, such as the answer to a question, to the takers, and to everything
// that listens to the Source on its way.
func (s *Session) Tell(e cluster.Event) {
	for source := range s.eachSource {
		if h, hears := source.(interface{ Hear(e cluster.Event) }); hears {
			h.Hear(e)
		}
	}
	s.take(e)
}

// eachSource yields the Source, and those that it wraps.
func (s *Session) eachSource(yield func(cluster.Source) bool) {
	from := s.from
	for yield(from) {
		outer, wraps := from.(interface{ Unwrap() cluster.Source })
		if !wraps {
			return
		}
		from = outer.Unwrap()
	}
}

// Then calls a function when the Source has ended.
func (s *Session) Then(do func()) {
	go func() {
		defer crash.End()
		<-s.Done()
		do()
	}()
}

// Context ends when no more Events will come.
func (s *Session) Context() context.Context { return s.ctx }

// Await calls look from time to time, and soon after news, until look returns true, the time is over, or no more Events
// will come. A time of 0 means no limit.
func (s *Session) Await(within time.Duration, look func() bool) {
	ctx := s.ctx
	if within > 0 {
		var done context.CancelFunc
		ctx, done = context.WithTimeout(ctx, within)
		defer done()
	}
	bell.Await(ctx, s.news, look)
}

// PastPatience is how long a session waits at most for the past of a demo.
const PastPatience = 10 * time.Second

// CatchUp waits until a Source with a past, such as the demo, has emitted it, but at most for limit. Before that, a
// Snapshot would show a cluster of the past. It reports whether the past has been emitted.
func (s *Session) CatchUp(limit time.Duration) bool {
	story, is := s.innermost().(interface{ CaughtUp() <-chan struct{} })
	if !is || s.HasToldStory() {
		return true
	}
	select {
	case <-story.CaughtUp():
		return true
	case <-s.ctx.Done():
	case <-time.After(limit):
	}
	return false
}

// HasToldStory reports whether the Source simulates the cluster, and has emitted its past.
func (s *Session) HasToldStory() bool {
	if story, is := s.innermost().(interface{ CaughtUp() <-chan struct{} }); is {
		select {
		case <-story.CaughtUp():
			return true
		default:
		}
	}
	return false
}

// Present returns the time of the Source at a time of this host: they differ if the Source simulates the cluster, and
// is behind.
func (s *Session) Present(now time.Time) time.Time {
	if simulated, is := s.innermost().(interface{ Present(now time.Time) time.Time }); is {
		return simulated.Present(now)
	}
	return now
}

// innermost returns the Source that wraps no other.
func (s *Session) innermost() (from cluster.Source) {
	for from = range s.eachSource { // up to the last
	}
	return from
}

// Stop ends the Source, and waits for its end for at most limit, since a hung node closes slowly. It returns why the
// Source failed.
func (s *Session) Stop(limit time.Duration) error {
	s.stop()
	_, err := s.Wait(limit)
	return err
}
