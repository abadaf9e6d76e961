package poller

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// logAsked logs the target processes of a signal before the signal is sent: the program may end before the answer.
func logAsked(log *slog.Logger, s *wire.Signal) {
	for _, p := range s.Processes {
		log.Info("signal asked", "pid", p.PID, "start", p.StartTicks, "signal", nameOf(s))
	}
}

// nameOf names the signal, or the change of the schedule.
func nameOf(s *wire.Signal) string {
	if s.Schedule != nil {
		return s.Schedule.String()
	}
	return cmp.Or(wire.SignalName(s.Number), strconv.Itoa(s.Number))
}

// logSignal logs the result of a signal for each process. It contains only our own words, none from the node's answer.
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

// reasons explain why a node sends no signal, or does not know whether it sent it.
var reasons = []string{wire.SignalGone, wire.SignalReused, wire.SignalOtherUser, wire.SignalDenied, wire.SignalKernel,
	wire.SignalNoAnswer}

// resultOf returns the result for the i-th target of a signal.
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
