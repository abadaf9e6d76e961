package feed

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/lib/bell"
)

// Attended is a Feed that records signs that the user is present.
type Attended struct {
	Feed
	signs bell.Bell
}

// NewAttended returns an Attended without any sign yet.
func NewAttended(from Feed) *Attended { return &Attended{from, bell.New()} }

// Touch implements source.Controls.
func (a *Attended) Touch() {
	a.signs.Ring()
	a.Feed.Touch()
}

// Asked implements web.Audience. A request from a program is no sign of the user: it only postpones the end.
func (a *Attended) Asked() { a.signs.Ring() }

// Left waits until there has been no sign for limit, neither a key nor a request, and returns the message about it;
// nil: ctx ended first. With a limit of 0 it waits forever.
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

// TouchEvery is how often an open page counts as a key. So the user never seems to be away.
const TouchEvery = 20 * time.Minute

// Sparing is a Feed that counts only a few of the signs as keys. An open page gives signs continuously, and after each
// key SLURM is asked more often for a while.
type Sparing struct {
	Feed

	mu   sync.Mutex // protects the following
	last time.Time
}

// Touch implements source.Controls.
func (s *Sparing) Touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.last) >= TouchEvery {
		s.last = now
		s.Feed.Touch()
	}
}
