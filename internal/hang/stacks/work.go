package stacks

import (
	"github.com/nvnodetop/nvnodetop/internal/hang/stacks/frames"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// rankActivity is what the kernel has counted of a rank and of its descendants.
type rankActivity struct {
	own    frames.Stir
	worker *wire.ProcessStacks // one that works; nil: none is seen to
	of     frames.Stir         // what was counted for it
}

// kernelWork returns what the kernel counted for a rank between the looks.
func (p *Pair) kernelWork(r *Rank) (s rankActivity) {
	before := p.before[process{r.Node, r.ProcessID}]
	if before == nil || before.Process == nil || r.Process == nil {
		return rankActivity{}
	}
	s.own = frames.ProcessStir(before.Process, r.Process, before.readMS, r.readMS)
	was := before.workersByID()
	for i := range r.Workers {
		w := &r.Workers[i]
		if was[w.ProcessID] == nil || isHalted(w) {
			continue
		}
		if of := frames.ProcessStir(was[w.ProcessID], w, before.readMS, r.readMS); of.Works() ||
			hasChangedLine(was[w.ProcessID], w) {
			s.worker, s.of = w, of
			break
		}
	}
	return s
}

// goesOn reports whether a rank was elsewhere at the other look, or the kernel counted steps or bytes for it or its
// descendants. An endless loop has neither. A wait for others to arrive does not count, although it polls.
func (p *Pair) goesOn(r *Rank) bool {
	s := p.kernelWork(r)
	steps := s.own.Steps() && !frames.Meets(r.pythonFrames())
	return p.Motion(r) == Moves || steps || s.own.Transfers() ||
		s.worker != nil && (s.of.Steps() || s.of.Transfers() || !s.of.Works())
}

// hasChangedLine reports whether the main thread of a process was in another line before.
func hasChangedLine(before, now *wire.ProcessStacks) bool {
	was, is := frames.MainThread(before), frames.MainThread(now)
	return was != nil && is != nil && (is.Moving || !equalFrames(was, is))
}
