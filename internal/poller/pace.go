package poller

import (
	"context"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/bell"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

func (n *watchedNode) reportInterval() time.Duration { return time.Duration(n.interval.Load()) }

// tellPace emits the interval if it has changed. A longer interval must be emitted before its reports are missed, and a
// shorter interval with the first of its reports.
func (n *watchedNode) tellPace(interval time.Duration) {
	if n.told.Swap(int64(interval)) != int64(interval) {
		n.emit(cluster.Event{At: time.Now(), Node: n.name, Pace: &cluster.Pace{Interval: interval}})
	}
}

// silenceLimit returns how long a probe may send no report over an open connection, for example because the driver
// hangs. After that a new probe is tried. The limit is longer than a session takes to notice a dead connection.
func silenceLimit(interval time.Duration) time.Duration { return max(10*interval, 35*time.Second) }

// errSilent ends a session whose probe went silent.
func errSilent(quiet time.Duration) *reach.Failure {
	return &reach.Failure{
		Class: reach.ClassSilent, Short: fmt.Sprintf("no report for %v", quiet.Round(time.Second)),
		Meaning: "The probe is still running but sends nothing: the driver is hung, or the node is overloaded.",
		Hints:   []string{"run nvidia-smi on the node; if it hangs too, report it to your admins"},
	}
}

// errRefused ends a session whose probe refuses the pace: no report would ever come.
func errRefused(why string) *reach.Failure {
	return &reach.Failure{
		Class: reach.ClassGarbage, Short: "the probe refused a request", Words: why,
		Meaning: "Version mismatch between nvnodetop here and its probe.",
		Hints:   []string{"use the same version on all machines that share your home"},
	}
}

// requestPace sends the pace to the probe, if there is one. A later probe gets it at its start.
func (n *watchedNode) requestPace() {
	if repace := n.repace.Load(); repace != nil {
		repace.Ring()
	}
}

// updatePace sends the wanted pace to the probe. It fails if the probe refuses the pace. If the pace cannot be sent,
// readReports finds the reason.
func (n *watchedNode) updatePace(ctx context.Context, session Session, watch *bell.Watchdog) (err error) {
	defer reach.Recover(&err)
	interval := n.reportInterval()
	watch.Limit(silenceLimit(interval))
	if interval > time.Duration(n.told.Load()) {
		n.tellPace(interval)
	}
	refusal, err := n.sendPace(ctx, session, interval)
	if err == nil && refusal != "" {
		return errRefused(refusal)
	}
	return nil
}

// sendPace returns why the probe refuses the pace, or "".
func (n *watchedNode) sendPace(ctx context.Context, session Session, interval time.Duration) (string, error) {
	pace := wire.Pace{IntervalMS: int(interval.Milliseconds()), SecondMS: int(n.second.Milliseconds()),
		Processes: n.processes.Load()}
	n.asked.Add(1) // the probe may answer a change with a report
	reply, err := session.Call(ctx, wire.Request{Pace: &pace})
	return reply.Error, err
}
