package remote

import (
	"context"
	"sync"
)

// Turns limits how many attempts do expensive work on this host at the same time, such as a key exchange or the start
// of a process. Nobody should hold a turn while waiting for a node that may be dead.
type Turns chan struct{}

// Take waits for a turn. The returned function ends the turn, and may be called more than once.
func (t Turns) Take(ctx context.Context) (end func(), err error) {
	select {
	case t <- struct{}{}:
		return sync.OnceFunc(func() { <-t }), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
