package poller

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// logAsked logs, before it is sent, which processes a signal is for: the program may end before the answer.
func logAsked(log *slog.Logger, s *wire.Signal) {
	for _, p := range s.Processes {
		log.Info("signal asked", "pid", p.PID, "start", p.StartTicks, "signal", nameOf(s))
	}
}

func nameOf(s *wire.Signal) string { return cmp.Or(wire.SignalName(s.Number), strconv.Itoa(s.Number)) }

// logSignal logs what became of a signal to each process. Of the node's answer it has our own words only.
func logSignal(log *slog.Logger, s *wire.Signal, reply *wire.Reply, err error) {
	for i, p := range s.Processes {
		level, result := slog.LevelInfo, resultOf(i, p.PID, reply, err)
		if result != "sent" {
			level = slog.LevelWarn
		}
		log.Log(context.Background(), level, "signal", "pid", p.PID, "start", p.StartTicks, "signal", nameOf(s),
			"result", result)
	}
}

// reasons are those for which a node sends no signal, or does not know whether it has.
var reasons = []string{wire.SignalGone, wire.SignalReused, wire.SignalOtherUser, wire.SignalDenied, wire.SignalKernel,
	wire.SignalNoAnswer}

// resultOf is what an answer says of the process that was the i-th to get a signal.
func resultOf(i, pid int, reply *wire.Reply, err error) string {
	switch {
	case errors.Is(err, reach.ErrNoReply):
		return "no answer, may have arrived"
	case err != nil:
		return "not sent"
	case reply.Error != "":
		return "refused"
	case i >= len(reply.Signaled), reply.Signaled[i].PID != pid:
		return "not told"
	case reply.Signaled[i] == (wire.Signaled{PID: pid}):
		return "sent"
	case slices.Contains(reasons, reply.Signaled[i].ErrorID):
		return reply.Signaled[i].ErrorID
	}
	return "unknown"
}
