package doctor

import (
	"context"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// reportWithin is the time limit for the first report. reportEvery is the requested pace of reports.
const (
	reportWithin = 10 * time.Second
	reportEvery  = time.Second
	mostReports  = 3 // reports until one has a list of processes
)

// examineNode tries all doors to a node, and determines which one nvnodetop would choose.
func (o *Options) examineNode(ctx context.Context, n *Node, jobs []remote.KnownJob) {
	here := false
	for i := range o.Doors {
		d := &o.Doors[i]
		w := TransportTrial{Door: d.Name, Here: d.Kind == remote.KindHere}
		switch {
		case here:
			w.Unfit = "not needed on this host"
		case d.Fits != nil:
			w.Unfit = d.Fits(ctx, n.Name)
		}
		if ctx.Err() != nil {
			w.Unfit, w.Stopped = "", true
		} else if w.Unfit == "" {
			here = w.Here
			o.tryDoor(ctx, d, n.Name, &w)
		}
		n.Ways = append(n.Ways, w)
	}
	if ctx.Err() == nil && len(n.Ways) > 0 {
		n.Choice, n.None = chooseDoor(ctx, o.Favorite, o.Doors, n, jobs)
	}
}

// tryDoor reaches a node through a door.
func (o *Options) tryDoor(ctx context.Context, d *remote.Candidate, node string, w *TransportTrial) {
	w.Stages = d.Opener.Route(ctx, node).Stages
	began := time.Now()
	session, err := d.Opener.Open(ctx, node, func(s reach.Step) {
		o.Progress(node + " through " + d.Name + ": " + string(s.Stage))
		w.noteStep(s)
	})
	w.Took = time.Since(began)
	switch {
	case ctx.Err() != nil:
		w.Stopped = true
	case err != nil:
		w.Failure = reach.AsFailure(err, reach.ClassOther)
	}
	if err == nil {
		w.awaitReport(ctx, session)
		_ = session.Close() // an error no longer matters
	}
}

// noteStep keeps the last step of each stage.
func (w *TransportTrial) noteStep(s reach.Step) {
	if i := slices.IndexFunc(w.Steps, func(before reach.Step) bool { return before.Stage == s.Stage }); i >= 0 {
		w.Steps[i] = s
		return
	}
	w.Steps = append(w.Steps, s)
}

// noiseReporter is a session that knows what was output before its first line.
type noiseReporter interface{ Noise() string }

// awaitReport waits for the Hello and the first report of a session.
func (w *TransportTrial) awaitReport(ctx context.Context, s poller.Session) {
	if n, ok := s.(noiseReporter); ok {
		w.Noise = n.Noise()
	}
	within, cancel := context.WithTimeout(ctx, reportWithin)
	defer cancel()
	defer context.AfterFunc(within, func() { _ = s.Close() })()
	began := time.Now()
	go func() {
		defer crash.End()
		// Next returns the error
		_, _ = s.Call(within, wire.Request{Pace: &wire.Pace{IntervalMS: int(reportEvery / time.Millisecond),
			Processes: true}})
	}()
	for reports := 0; reports < mostReports && (w.Report == nil || !w.Report.Listed); {
		m, err := s.Next()
		switch {
		case err != nil:
			w.noteBreak(ctx, within, err)
			if w.Report == nil {
				w.Reported = time.Since(began)
			}
			return
		case m.Hello != nil:
			w.Hello = m.Hello
		case m.Report != nil:
			w.Report, w.Arrived = m.Report, time.Now()
			if reports++; reports == 1 {
				w.Reported = w.Arrived.Sub(began)
			}
		}
	}
}

// noteBreak notes why a session ended early. If a report has arrived, that counts.
func (w *TransportTrial) noteBreak(ctx, within context.Context, err error) {
	switch {
	case ctx.Err() != nil:
		w.Stopped = true
	case w.Report != nil:
	case within.Err() != nil:
		w.Broken = &reach.Failure{Class: reach.ClassSilent, Short: "no report after " + reportWithin.String()}
	default:
		w.Broken = reach.AsFailure(err, reach.ClassOther)
	}
}
