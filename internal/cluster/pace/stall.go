package pace

import (
	"slices"
	"time"
)

// Stall is a time in which all GPUs of a job only waited, much longer than any before.
type Stall struct {
	From, To time.Time
	Before   time.Duration // the longest such time before it
}

// leastStall is the shortest stall, much its least ratio to the longest standstill before it. The first standstill may
// be normal, unless firstStall has passed since the watch began.
const (
	leastStall = 90 * time.Second
	firstStall = time.Hour
	much       = 2
)

// standstills are how the GPUs of a job stand still.
type standstills struct {
	from    time.Time     // zero: they do not stand still
	wrote   time.Time     // when a node last seemed to write, as for a checkpoint
	longest time.Duration // the longest that is finished
	starts  bool          // another program starts
}

// noteStall notes when a stall begins and ends. It is no stall while nodes write, or if another program starts.
func (j *Job) noteStall(at time.Time, halted, all int, gpus []*GPU) {
	s := &j.stands
	if halted == all && all > 0 {
		if s.from.IsZero() {
			s.from, s.wrote, s.starts = at, at, false
		}
		if slices.ContainsFunc(gpus, func(g *GPU) bool { return g.Shared || g.Writes() }) {
			s.wrote = at
		}
		s.starts = s.starts || slices.ContainsFunc(j.Groups, func(g Group) bool { return len(g.past.over) == 0 })
		return
	}
	if s.from.IsZero() {
		return
	}
	if len(gpus) > 0 && gpus[0].Node != gpus[len(gpus)-1].Node {
		// the last node usually reports it half an interval after the first
		s.from, s.wrote = s.from.Add(-j.Step/2), s.wrote.Add(-j.Step/2)
	}
	lasted, known := at.Sub(s.wrote), s.longest > 0 || s.from.Sub(j.since) >= firstStall
	if known && lasted >= max(leastStall, much*s.longest) && !s.starts && s.from.After(j.since) && j.Steady() {
		j.Stall = Stall{s.wrote, at, s.longest}
	}
	s.longest, s.from = max(s.longest, at.Sub(s.from)), time.Time{}
}
