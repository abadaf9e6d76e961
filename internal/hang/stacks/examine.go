package stacks

import (
	"context"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl"
	"github.com/nvnodetop/nvnodetop/internal/hang/nccl/ask"
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks/frames"
	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
)

// Times of an Examination.
const (
	// Between is the time between two looks that are compared.
	Between = frames.UsualGap
	// followed is how long the nodes follow the ranks before the later look, and leastFollowed the shortest such time.
	followed, leastFollowed = 4500 * time.Millisecond, 2 * time.Second
	// libraryBy is how long NCCL's answer is awaited.
	libraryBy = 12 * time.Second
)

// Examination judges a job, in the same way for the screen, the commands and the automatic question: the same looks,
// the same evidence, the same verdict. Each look after the first follows the ranks for seconds, and is compared with
// the look before. An Examination belongs to one goroutine.
type Examination struct {
	job    string
	places []Place
	last   *Observation // the last one that is over
	pair   *Pair        // nil: no look yet
	also   Evidence
	waited bool // the GPUs waited at the last look
}

// Examine begins to judge the processes of a job.
func Examine(job string, places []Place) *Examination { return &Examination{job: job, places: places} }

// Survey begins a look, and sets when it is over. gpus is what the GPUs of the job show now.
func (e *Examination) Survey(now time.Time, gpus GPUs) *Survey {
	var over time.Duration
	if e.last != nil {
		over = min(max(e.last.At.Add(Between).Sub(now), leastFollowed), followed).Truncate(time.Millisecond)
	}
	e.also.Halted, e.also.GPUsWait, e.waited = gpus.Halted, gpus.Wait && e.waited, gpus.Wait
	return newSurvey(e.job, e.places, now, over)
}

// Due returns when the next look must begin to be over this long after the last one.
func (e *Examination) Due(after time.Duration) time.Time {
	if e.last == nil {
		return time.Time{}
	}
	return e.last.At.Add(after - followed)
}

// Take takes a look, either finished or still going on.
func (e *Examination) Take(l *Observation, over bool) {
	e.pair = NewPair(e.last, l)
	if over {
		e.last = l
	}
}

// Hear takes what NCCL says; nil: nothing.
func (e *Examination) Hear(n *NCCL) { e.also.NCCL = n }

// Compared reports whether the job was seen at two looks.
func (e *Examination) Compared() bool { return e.pair != nil && e.pair.Before != nil }

// GoesOn reports whether a rank has moved between the last two looks, or has worked in small steps in one line.
func (e *Examination) GoesOn() bool {
	return e.Compared() && slices.ContainsFunc(e.pair.Now.Ranks, func(r Rank) bool { return e.pair.goesOn(&r) })
}

// Document returns the verdict on what is known so far; nil: nothing is.
func (e *Examination) Document() *rankstacks.Verdict {
	if e.pair == nil {
		return nil
	}
	return Of(e.pair, e.also)
}

// Look takes one look, and waits for the answers.
func (e *Examination) Look(ctx context.Context, send Asker, gpus GPUs) {
	e.Take(e.Survey(time.Now(), gpus).Ask(ctx, send), true)
}

// Run takes two looks, and asks NCCL meanwhile. watch returns what the GPUs show.
func (e *Examination) Run(ctx context.Context, send Asker, library Library, watch func() GPUs) *rankstacks.Verdict {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	told := library.startAsking(ctx)
	for range 2 {
		e.Look(ctx, send, watch())
	}
	e.Hear(<-told)
	return e.Document()
}

// Library asks NCCL what it knows about a job. It takes seconds.
type Library func(ctx context.Context) *NCCL

// LibraryOf returns the Library of a job, given the known processes on its GPUs.
func LibraryOf(a *ask.Asker, job string, known []nccl.Place) Library {
	return func(ctx context.Context) *NCCL {
		r, err := a.Job(ctx, job, known)
		if err != nil { // most jobs have no NCCL, or an old one
			return nil
		}
		return OfNCCL(r.Verdict)
	}
}

// startAsking asks NCCL on another goroutine. The channel gets the answer within libraryBy.
func (l Library) startAsking(ctx context.Context) <-chan *NCCL {
	told := make(chan *NCCL, 1)
	go func() {
		defer crash.End()
		ctx, cancel := context.WithTimeout(ctx, libraryBy)
		defer cancel()
		told <- l(ctx)
	}()
	return told
}
