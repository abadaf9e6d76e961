// Package hang asks about a job that seems to hang where its ranks are: once, by itself. Two looks at the stacks of its
// ranks, 5 s apart, and NCCL's own knowledge beside them become an Event, from which all outputs draw.
//
// A job that is not suspected is never asked. The suspicion is that of package health: the GPUs of the job only wait,
// or have stopped, for minutes.
package hang

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/crash"
	"github.com/nvnodetop/nvnodetop/internal/nccl"
	"github.com/nvnodetop/nvnodetop/internal/nccl/ask"
	"github.com/nvnodetop/nvnodetop/internal/stacks"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// rasBy is the time in which NCCL's answers count.
const rasBy = 12 * time.Second

// Follower asks about jobs that seem to hang.
type Follower struct {
	ask   stacks.Asker
	ras   *ask.Asker
	tell  func(cluster.Event)
	asked map[string]time.Time // the beginning of the standstill for which a job was asked, by its ID
}

// New returns a Follower that sends its questions with ask, and tells the answers.
func New(send stacks.Asker, tell func(cluster.Event)) *Follower {
	return &Follower{ask: send, ras: ask.New(ask.Node(send)), tell: tell, asked: map[string]time.Time{}}
}

// Follow looks for suspicions until ctx ends.
func (f *Follower) Follow(ctx context.Context, every time.Duration, snapshot func(time.Time) *cluster.Snapshot) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			f.see(ctx, now, snapshot)
		}
	}
}

// see asks about the jobs that seem to hang now, and were not asked for it. The answer counts if they still do then:
// otherwise it is about a moment of waiting.
func (f *Follower) see(ctx context.Context, now time.Time, snapshot func(time.Time) *cluster.Snapshot) {
	s := snapshot(now)
	for i := range s.Jobs {
		job := &s.Jobs[i]
		since, kind, is := suspected(job)
		if !is || f.asked[job.ID].Equal(since) {
			continue
		}
		places, ready := stacks.Places(s, job)
		if !ready || !parallel(places) {
			continue
		}
		f.asked[job.ID] = since
		d := f.look(ctx, job.ID, places, ask.Places(s, job), kind == cluster.KindJobHang)
		if ctx.Err() == nil && stillSuspected(snapshot(time.Now()), job.ID, since) {
			f.tell(cluster.Event{At: time.Now(), Stacks: d})
		}
	}
}

// stillSuspected reports whether a job has seemed to hang since then.
func stillSuspected(s *cluster.Snapshot, id string, since time.Time) bool {
	for i := range s.Jobs {
		if again, _, is := suspected(&s.Jobs[i]); s.Jobs[i].ID == id && is {
			return again.Equal(since)
		}
	}
	return false
}

// suspected reports whether a job seems to hang or has been idle for long, and since when.
func suspected(job *cluster.JobView) (since time.Time, kind cluster.Kind, is bool) {
	for i := range job.Findings {
		f := &job.Findings[i]
		if (f.Kind == cluster.KindJobHang || f.Kind == cluster.KindJobIdle) && f.Holds() &&
			f.Severity >= cluster.Warning {
			return f.Since, f.Kind, true
		}
	}
	return time.Time{}, kind, false
}

// parallel reports whether several processes of a job are ranks: only those wait for each other.
func parallel(places []stacks.Place) bool {
	ranks := 0
	for i := range places {
		if places[i].Number != stacks.NoRank {
			ranks++
		}
	}
	return ranks > 1
}

// look looks twice at the ranks of a job, and asks NCCL meanwhile. halted says that its GPUs are seen to wait: idle
// GPUs may belong to a job that computes on its CPUs.
func (f *Follower) look(ctx context.Context, job string, places []stacks.Place, known []nccl.Place,
	halted bool) *schema.Stacks {
	told := make(chan *stacks.NCCL, 1)
	go func() {
		defer crash.End()
		ctx, cancel := context.WithTimeout(ctx, rasBy)
		defer cancel()
		r, err := f.ras.Job(ctx, job, known)
		if err != nil { // most jobs have none, or an old one
			told <- nil
			return
		}
		told <- stacks.OfNCCL(r.Verdict)
	}()
	first := stacks.NewSurvey(job, places, time.Now()).Ask(ctx, f.ask)
	select {
	case <-time.After(time.Until(first.At.Add(stacks.Between))):
	case <-ctx.Done():
	}
	second := stacks.NewSurvey(job, places, time.Now()).Ask(ctx, f.ask)
	return stacks.Of(stacks.NewPair(first, second), stacks.Evidence{Halted: halted, NCCL: <-told})
}
