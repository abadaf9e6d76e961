package stacks

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/hang/stacks/frames"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Motion is what two looks say about a rank.
type Motion int

// Motions of a rank.
const (
	Unknown Motion = iota // it was not read twice
	Moves                 // it was elsewhere in the other look
	Waits                 // it was in the same place, and the kernel counted no work of its main thread
	Same                  // it was in the same place, and either worked there or that is not known
)

// MotionOf compares a rank with the same rank in the look before; nil: there was none.
func MotionOf(before, now *Rank) Motion {
	if before == nil || before.Process == nil || now.Process == nil || before.ProcessID != now.ProcessID {
		return Unknown
	}
	was, is := frames.MainThread(before.Process), frames.MainThread(now.Process)
	if isHalted(now.Process) && isHalted(before.Process) {
		return Waits
	}
	if was == nil || is == nil {
		return Unknown
	}
	moved := !equalFrames(was, is) || is.Moving || len(is.Frames) == 0 && was.WChan != is.WChan ||
		now.Process.Looks != nil && now.Process.Looks.Same < now.Process.Looks.Times
	if !moved && frames.WaitsForThread(is.Frames) {
		moved = othersMoved(before.Process, now.Process)
	}
	if moved {
		return Moves
	}
	was, is = frames.DecidingThreads(before.Process, now.Process)
	if s := frames.ThreadStir(was, is, before.readMS, now.readMS); s.IsStill() {
		return Waits
	}
	return Same
}

// equalFrames reports whether a thread was in the same lines both times.
func equalFrames(was, is *wire.ThreadStack) bool { return slices.Equal(was.Frames, is.Frames) }

// othersMoved reports whether another thread with Python frames was elsewhere before.
func othersMoved(before, now *wire.ProcessStacks) bool {
	was := map[int][]wire.Frame{}
	for i := range before.Threads {
		if t := &before.Threads[i]; t.TID != 0 {
			was[t.TID] = t.Frames
		}
	}
	return slices.ContainsFunc(now.Threads, func(t wire.ThreadStack) bool {
		frames, known := was[t.TID]
		return !t.Main && (t.Moving || known && !slices.Equal(frames, t.Frames))
	})
}

// Pair is two looks at a job, one after the other.
type Pair struct {
	Before *Observation // nil: there was only one look
	Now    *Observation

	before map[process]*Rank
}

// process identifies a process.
type process struct {
	node string
	id   wire.ProcessID
}

// NewPair compares two looks; before may be nil.
func NewPair(before, now *Observation) *Pair {
	p := &Pair{Before: before, Now: now, before: map[process]*Rank{}}
	if before != nil {
		for i := range before.Ranks {
			r := &before.Ranks[i]
			p.before[process{r.Node, r.ProcessID}] = r
		}
	}
	return p
}

// Motion returns what both looks say about a rank of the second one.
func (p *Pair) Motion(r *Rank) Motion { return MotionOf(p.before[process{r.Node, r.ProcessID}], r) }

// Between returns the time between the looks; 0: there was only one.
func (p *Pair) Between() time.Duration {
	if p.Before == nil {
		return 0
	}
	return p.Now.At.Sub(p.Before.At)
}

// motions counts ranks by their motion.
type motions [Same + 1]int

// countMotions returns how many of the ranks have each motion.
func (p *Pair) countMotions(ranks []*Rank) (of motions) {
	for _, r := range ranks {
		of[p.Motion(r)]++
	}
	return of
}
