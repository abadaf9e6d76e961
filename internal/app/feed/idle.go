package feed

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/bell"
)

// Attended is a Feed that knows when the user gave a sign.
type Attended struct {
	Feed
	signs bell.Bell
}

// NewAttended returns one to which no sign was given yet.
func NewAttended(from Feed) *Attended { return &Attended{from, bell.New()} }

// Touch implements ui.Controls.
func (a *Attended) Touch() {
	a.signs.Ring()
	a.Feed.Touch()
}

// Asked implements web.Audience. A program that asks is no user: it puts off the end, and nothing else.
func (a *Attended) Asked() { a.signs.Ring() }

// Left waits until there was no sign of the user, a key or a request, for limit, and returns what to say then; nil:
// ctx ended before. A limit of 0 is never over.
func (a *Attended) Left(ctx context.Context, limit time.Duration, sign string) error {
	if limit == 0 {
		<-ctx.Done()
		return nil
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.signs:
			timer.Reset(limit)
		case <-timer.C:
			return cli.Exit(cli.ExitOK, fmt.Errorf("ended after %v without a %s (nvnodetop config shows where "+
				"idle_exit is set)", limit, sign))
		}
	}
}

// TouchEvery is how often a page that is open counts as a key: often enough that nobody seems to be away.
const TouchEvery = 20 * time.Minute

// Sparing is a Feed that takes few of the signs for keys. An open page gives one after the other, and after each key
// SLURM is asked more often for a while.
type Sparing struct {
	Feed

	mu   sync.Mutex // protects the following
	last time.Time
}

// Touch implements ui.Controls.
func (s *Sparing) Touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.last) >= TouchEvery {
		s.last = now
		s.Feed.Touch()
	}
}
