package poller

import (
	"context"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Opener reaches a node and starts a probe there. It tells each of its Stages as it begins, is done or fails. An error that it returns is
// a *reach.Failure whenever the node or the way to it is the cause.
type Opener interface {
	Stages() []reach.Stage
	Open(ctx context.Context, node string, step func(reach.Step)) (Session, error)
}

// Session is one probe that answers. Next returns its Hellos and Reports in order, the first a Hello; an error it returns ends the session
// and is a *reach.Failure. Call asks for something while Next waits, and returns the answer; a Reply with an Error is one. The session's
// end ends it. Close ends the probe and frees everything; it is safe to call twice, and it makes a waiting Next and Call return.
type Session interface {
	Next() (wire.Message, error)
	Call(context.Context, wire.Request) (wire.Reply, error)
	Close() error
}

// StageStream is the stage after those of the Opener: the first report.
const StageStream reach.Stage = "stream"
