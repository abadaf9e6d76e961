package bell

import (
	"context"
	"time"
)

// Limits of the time between two calls of look by Await: a Snapshot of a large cluster costs milliseconds, and its
// nodes send thousands of Events per second.
const (
	leastLook = 100 * time.Millisecond
	mostLook  = time.Second
)

// Await calls look until it returns true or ctx ends: after news, but at most once per leastLook; without news, once
// per mostLook.
func Await(ctx context.Context, news Bell, look func() bool) {
	for {
		select {
		case <-news:
		case <-time.After(mostLook):
		case <-ctx.Done():
			return
		}
		if look() {
			return
		}
		select {
		case <-time.After(leastLook):
		case <-ctx.Done():
			return
		}
	}
}
