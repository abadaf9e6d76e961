package source

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/bell"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/slurm"
)

// discoverer asks SLURM for the jobs again and again: at once when something happened, else at a pace that depends on whether somebody
// is there.
type discoverer struct {
	ask func(context.Context) (*slurm.Answer, error)

	known    cluster.Discovery // with the last answer; run's own, as schedule is
	schedule schedule

	mu  sync.Mutex // protects the following
	key time.Time  // when somebody last pressed one

	refresh bell.Bell // somebody wants to know now
	lost    bell.Bell // a session was lost: has its job ended?
	back    bell.Bell // somebody is back after a while
}

func newDiscoverer(ask func(context.Context) (*slurm.Answer, error), user, host string) *discoverer {
	return &discoverer{
		ask:     ask,
		known:   cluster.Discovery{Command: slurm.Question, User: user, Host: host},
		refresh: bell.New(), lost: bell.New(), back: bell.New(),
	}
}

// touch says that somebody pressed a key.
func (d *discoverer) touch() {
	now := time.Now()
	d.mu.Lock()
	away := now.Sub(d.key)
	d.key = now
	d.mu.Unlock()
	if away >= inUse {
		d.back.Ring()
	}
}

// run asks, and tells what is known, until ctx ends. It returns slurm.ErrNoSlurm when the first question finds that there is none.
func (d *discoverer) run(ctx context.Context, tell func(cluster.Discovery)) error {
	d.touch() // who starts the program is there
	for lost, ok := false, true; ok; lost, ok = d.wait(ctx, tell) {
		before := d.known.Jobs
		began := time.Now()
		answer, err := d.ask(ctx)
		switch {
		case ended(ctx):
			return nil
		case errors.Is(err, slurm.ErrNoSlurm) && d.known.Asked.IsZero():
			return err
		}
		d.learn(began, answer, err)
		d.schedule.asked(d.known.Took, d.known.Failure != nil, lost, !sameJobs(before, d.known.Jobs))
		d.known.Next = d.next()
		tell(d.known)
	}
	return nil
}

func ended(ctx context.Context) bool { return ctx.Err() != nil } // apart, as an end by ctx is no error

// sameJobs reports whether a and b are the same runs of the same jobs.
func sameJobs(a, b []cluster.Job) bool {
	return slices.EqualFunc(a, b, func(a, b cluster.Job) bool { return a.ID == b.ID && a.Start.Equal(b.Start) })
}

// learn takes in what came of a question. The jobs stay what they were when there is no answer.
func (d *discoverer) learn(began time.Time, answer *slurm.Answer, err error) {
	d.known.Asked = time.Now()
	d.known.Took = d.known.Asked.Sub(began)
	d.known.Failure = reach.AsFailure(err, reach.ClassSlurm)
	if answer != nil {
		d.known.Answered, d.known.Jobs, d.known.Pending = d.known.Asked, answer.Jobs, answer.Pending
	}
}

// next is when to ask again if nothing happens before: after the pace, and when a job's time is over.
func (d *discoverer) next() time.Time {
	d.mu.Lock()
	key := d.key
	d.mu.Unlock()
	asked := d.known.Asked
	next := asked.Add(d.schedule.interval(time.Since(key)))
	for i := range d.known.Jobs {
		if end := d.known.Jobs[i].End; !end.IsZero() && end.After(asked) && end.Add(endSlack).Before(next) {
			next = end.Add(endSlack)
		}
	}
	return next
}

// wait returns when it is time to ask again, and whether a session was lost meanwhile; ok is false when ctx ended.
func (d *discoverer) wait(ctx context.Context, tell func(cluster.Discovery)) (lost, ok bool) {
	timer := time.NewTimer(time.Until(d.known.Next))
	defer timer.Stop()
	for {
		var next time.Time
		select {
		case <-ctx.Done():
			return false, false
		case <-timer.C:
			return lost, true
		case <-d.refresh:
			next = d.known.Asked.Add(leastGap)
		case <-d.lost:
			lost = true
			next = d.known.Asked.Add(d.schedule.lostGap())
		case <-d.back:
			next = d.next()
		}
		if next.Before(d.known.Next) {
			d.known.Next = next
			timer.Reset(time.Until(next))
			tell(d.known)
		}
	}
}
