// Package hang asks the ranks of a job that seems to hang where they are: once, by itself. It looks at their stacks
// twice, 5 s apart, and asks NCCL what it knows. The result is an Event, from which all outputs draw. It finds the
// processes that can be asked, says why the others cannot, and describes for people what the ranks do.
//
// A job that is not suspected is never asked. Package health raises the suspicion: the GPUs of the job have only
// waited, or have stopped, for minutes.
package hang

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl/ask"
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks"
)

// Follower asks about jobs that seem to hang.
type Follower struct {
	ask   stacks.Asker
	ras   *ask.Asker
	tell  func(cluster.Event)
	asked map[string]time.Time // for each job asked, by ID: when the standstill began that it was asked for
}

// New returns a Follower that sends its questions with send, and hands the answers to tell.
func New(send stacks.Asker, tell func(cluster.Event)) *Follower {
	return &Follower{ask: send, ras: ask.New(ask.Node(send)), tell: tell, asked: map[string]time.Time{}}
}

// Follow watches for suspicions until ctx ends.
func (f *Follower) Follow(ctx context.Context, every time.Duration, snapshot func(time.Time) *cluster.Snapshot) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			f.askSuspects(ctx, now, snapshot)
		}
	}
}

// askSuspects asks about the jobs that seem to hang now and were not yet asked about this standstill. An answer counts
// only if the job still seems to hang then: otherwise it is about a moment of waiting.
func (f *Follower) askSuspects(ctx context.Context, now time.Time, snapshot func(time.Time) *cluster.Snapshot) {
	s := snapshot(now)
	for i := range s.Jobs {
		job := &s.Jobs[i]
		since, is := suspectedSince(job)
		if !is || f.asked[job.ID].Equal(since) {
			continue
		}
		places, ready := PlacesOf(s, job)
		if !ready || !hasSeveralRanks(places) {
			continue
		}
		f.asked[job.ID] = since
		library := stacks.LibraryOf(f.ras, job.ID, ask.Places(s, job))
		d := stacks.Examine(job.ID, places).Run(ctx, f.ask, library, func() stacks.GPUs {
			return gpusOf(snapshot(time.Now()), job, places)
		})
		if ctx.Err() == nil && stillSuspected(snapshot(time.Now()), job.ID, since) {
			f.tell(cluster.Event{At: time.Now(), Stacks: d})
		}
	}
}

// gpusOf returns what the GPUs of a job show in a Snapshot; nothing if the job has ended since.
func gpusOf(s *cluster.Snapshot, of *cluster.JobView, places []stacks.Place) stacks.GPUs {
	if job := s.JobWith(of.ID); job != nil {
		return stacks.GPUsOf(s, job, places)
	}
	return stacks.GPUs{}
}

// stillSuspected reports whether a job has seemed to hang ever since that time.
func stillSuspected(s *cluster.Snapshot, id string, since time.Time) bool {
	job := s.JobWith(id)
	if job == nil {
		return false
	}
	again, is := suspectedSince(job)
	return is && again.Equal(since)
}

// suspectedSince reports whether a job seems to hang, or has been idle for long, and since when.
func suspectedSince(job *cluster.JobView) (since time.Time, is bool) {
	for i := range job.Findings {
		f := &job.Findings[i]
		if f.Kind.StopsJob() && f.Holds() && f.Severity >= cluster.Warning {
			return f.Since, true
		}
	}
	return time.Time{}, false
}

// hasSeveralRanks reports whether several processes of a job are ranks: only ranks wait for each other.
func hasSeveralRanks(places []stacks.Place) bool {
	ranks := 0
	for i := range places {
		if places[i].Number != stacks.NoRank {
			ranks++
		}
	}
	return ranks > 1
}
