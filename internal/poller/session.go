package poller

import (
	"context"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Opener reaches a node and starts a probe there. It tells each stage as it begins, is done or fails. An error that it returns is a
// *reach.Failure whenever the node or the way to it is the cause.
type Opener interface {
	Open(ctx context.Context, node string, step func(reach.Step)) (Session, error)
}

// Session is one probe that answers. Next returns its messages in order, the first a Hello; an error it returns ends the session and
// is a *reach.Failure. Send may be called while Next waits. Close ends the probe and frees everything; it is safe to call twice, and
// it makes a waiting Next return.
type Session interface {
	Next() (wire.Message, error)
	Send(wire.Request) error
	Close() error
}
