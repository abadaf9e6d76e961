package health

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/pace"
)

const (
	// lowerClock is the share of the earlier clock at which the clock explains why steps take longer.
	lowerClock = 0.95

	// asked is how many GPUs are checked for ranks.
	asked = 64
)

// pastKnown is how long a job must work before it is compared with its own past.
func pastKnown(*Thresholds) time.Duration { return 17 * time.Minute }

// stepsSlower finds a job whose steps take longer than before, by its log or by what its GPUs move.
func stepsSlower(s ruleSubject) []cluster.Condition {
	said, isSaid := s.logStepsSlower()
	moved, isMoved := s.workSlower()
	switch {
	case isSaid && isMoved:
		said.Compared.By, said.Compared.Slower = moved.Compared.By, moved.Compared.Slower
		return []cluster.Condition{said}
	case isSaid:
		return []cluster.Condition{said}
	case isMoved:
		return []cluster.Condition{moved}
	}
	return nil
}

// workSlower finds a job whose GPUs move less than before. A program that serves requests moves less of everything when
// it has fewer requests. So the job must have ranks, or be as busy as ever at a lower clock.
func (s ruleSubject) workSlower() (c cluster.Condition, is bool) {
	var most *pace.Group
	slow, all := 0, 0
	for i := range s.Peers.Pace.Groups {
		g := &s.Peers.Pace.Groups[i]
		if all += len(g.GPUs); g.Slower() == nil {
			continue
		}
		if slow += len(g.GPUs); most == nil || len(g.GPUs) > len(most.GPUs) {
			most = g
		}
	}
	if most == nil || 3*slow < 2*all || s.Peers.Away > len(s.Peers.GPUs)/3 {
		return c, false
	}
	by := most.Slower()
	clocked := by.Now[pace.Util] >= pace.FullFrom && by.Now[pace.Clock] <= lowerClock*by.Then[pace.Clock]
	if !clocked && !haveRanks(s.Peers.GPUs[:min(len(s.Peers.GPUs), asked)]) {
		return c, false
	}
	return cluster.Condition{Since: by.Since, Compared: &cluster.Comparison{By: most.Evidence, Slower: by, Of: all}}, true
}

// onceForAll drops the note that a job is slower than before if a GPU is reported as slow, or recently was: a slow GPU
// may come and go.
func onceForAll(s ruleSubject, held []cluster.Condition) []cluster.Condition {
	isSlower := func(c cluster.Condition) bool { return c.Kind == cluster.KindStepSlower }
	if !slices.ContainsFunc(held, isSlower) {
		return held
	}
	why := slices.ContainsFunc(s.Peers.GPUs, func(p cluster.Peer) bool {
		return !p.LagTold.IsZero() && s.Peers.At.Sub(p.LagTold) <= remembered
	}) || slices.ContainsFunc(held, func(c cluster.Condition) bool {
		return c.Kind == cluster.KindLinkUnused || c.Kind == cluster.KindLag && c.Of != nil &&
			(c.Compared.Rhythm != nil || c.Of.LagLast.Sub(c.Of.LagBegan) >= s.limits.durationOf(LagSeconds))
	})
	if !why {
		return held
	}
	return slices.DeleteFunc(held, isSlower)
}

// remembered is how long a finished stall is reported, and how long a slow GPU explains slow steps.
const remembered = 10 * time.Minute

// stoodStill finds a job that stood still for longer than ever before, as when the storage stalls, and has resumed.
func stoodStill(s ruleSubject) []cluster.Condition {
	stall := s.Peers.Pace.Stall
	if stall.To.IsZero() || s.Peers.At.Sub(stall.To) > remembered ||
		!haveRanks(s.Peers.GPUs[:min(len(s.Peers.GPUs), asked)]) {
		return nil
	}
	return []cluster.Condition{{Since: stall.From, Compared: &cluster.Comparison{Stall: stall, Of: len(s.Peers.GPUs)}}}
}
