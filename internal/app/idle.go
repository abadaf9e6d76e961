package app

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/bell"
)

// attended is a feed that knows when the user gave a sign.
type attended struct {
	feed
	signs bell.Bell
}

// Touch implements ui.Controls.
func (a *attended) Touch() {
	a.signs.Ring()
	a.feed.Touch()
}

// Asked implements web.Audience. A program that asks is no user: it puts off the end, and nothing else.
func (a *attended) Asked() { a.signs.Ring() }

// left waits until there was no sign of the user, a key or a request, for limit, and returns what to say then; nil: ctx
// ended before. A limit of 0 is never over.
func (a *attended) left(ctx context.Context, limit time.Duration, sign string) error {
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
			return &exitError{exitOK, fmt.Errorf("ended after %v without a %s (nvnodetop config shows where "+
				"idle_exit is set)", limit, sign)}
		}
	}
}

// touchEvery is how often a page that is open counts as a key: often enough that nobody seems to be away.
const touchEvery = 20 * time.Minute

// sparing is a feed that takes few of the signs for keys. An open page gives one after the other, and after each key
// SLURM is asked more often for a while.
type sparing struct {
	feed

	mu   sync.Mutex // protects the following
	last time.Time
}

// Touch implements ui.Controls.
func (s *sparing) Touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.last) >= touchEvery {
		s.last = now
		s.feed.Touch()
	}
}
