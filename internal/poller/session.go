package poller

import (
	"context"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// Opener reaches a node and starts a probe there. Route returns the route of the next attempt; it may take a moment.
// Open makes that attempt, and reports when each of its stages begins, ends or fails. Its error is a *reach.Failure if
// the node or the connection is the cause. After a Failure with Next, the next attempt begins at once. One goroutine
// per node calls both.
type Opener interface {
	Route(ctx context.Context, node string) reach.Route
	Open(ctx context.Context, node string, step func(reach.Step)) (Session, error)
}

// Session is a connected probe. Next returns its Hellos and Reports in order, starting with a Hello. An error of Next
// is a *reach.Failure and ends the session. Call sends a request while Next waits, and returns the answer. A Reply with
// an Error is an answer; an error of Call is a reach.ErrNoReply unless the request was certainly not sent. Close ends
// the probe and frees everything; it may be called twice, and makes a waiting Next and Call return.
type Session interface {
	Next() (wire.Message, error)
	Call(context.Context, wire.Request) (wire.Reply, error)
	Close() error
}

// StageStream is the stage after those of the Opener: reports arrive.
const StageStream reach.Stage = "stream"
