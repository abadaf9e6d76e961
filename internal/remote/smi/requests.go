package smi

import (
	"fmt"
	"io"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// answerer carries out requests, in a goroutine of its own. Everything that it holds may be used by any goroutine.
type answerer struct {
	console  *console
	schedule *schedule
	sender   *sender
}

// answerAll carries out requests until they end.
func (a *answerer) answerAll(in *io.PipeReader) {
	lines := wire.NewReader(in)
	for {
		var r wire.Request
		if err := lines.Next(&r); err != nil {
			_ = in.CloseWithError(err)
			return
		}
		if err := a.answerRequest(&r); err != nil {
			_ = in.CloseWithError(err)
			return
		}
	}
}

// answerRequest answers a request. A sign of life is answered by the script itself: that proves that the node is alive.
func (a *answerer) answerRequest(r *wire.Request) error {
	reply := wire.Reply{ID: r.ID}
	switch {
	case r.Alive != nil:
		return a.console.sendLine(fmt.Sprintf("alive %d", r.ID))
	case r.Pace != nil:
		if err := a.schedule.setPace(*r.Pace); err != nil {
			return err
		}
	default:
		reply.Error = "not known without a probe on the node"
	}
	return a.sender.sendMessage(wire.Message{Reply: &reply})
}
