package app

import (
	"context"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/bell"
)

// attended is a feed that knows when a key was pressed.
type attended struct {
	feed
	keys bell.Bell
}

// Touch implements ui.Controls.
func (a *attended) Touch() {
	a.keys.Ring()
	a.feed.Touch()
}

// left waits until no key was pressed for limit, and returns what to say then; nil: ctx ended before. A limit of 0 is never over.
func (a *attended) left(ctx context.Context, limit time.Duration) error {
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
		case <-a.keys:
			timer.Reset(limit)
		case <-timer.C:
			return &exitError{exitOK, fmt.Errorf("ended after %v without a key (nvnodetop config shows where idle_exit is set)", limit)}
		}
	}
}
