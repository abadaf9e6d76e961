package trend

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// ProblemTimes are the times at which problems were first seen, in order.
type ProblemTimes struct {
	Next  time.Time // time of the next look
	Times []time.Time
	there map[problemKey]bool // present at the last look
}

// problemKey identifies a problem.
type problemKey struct {
	kind           cluster.Kind
	job, node, key string
	critical       bool
}

// mostProblemTimes limits how many times are kept. Later times cannot be jumped to.
const mostProblemTimes = 16 << 10

// Look notes the problems that were absent at the last look. Problems at the first look began earlier, but that look is
// the first place to jump to.
func (s *ProblemTimes) Look(snap *cluster.Snapshot) {
	there := make(map[problemKey]bool, len(s.there))
	came := false
	for i := range snap.Jobs {
		for k := range snap.Jobs[i].Findings {
			f := &snap.Jobs[i].Findings[k]
			if f.Severity < cluster.Warning || !f.Holds() {
				continue
			}
			about := problemKey{f.Kind, f.Job, f.Node, f.Key, f.Severity >= cluster.Critical}
			there[about] = true
			came = came || !s.there[about]
		}
	}
	s.there = there
	if came && len(s.Times) < mostProblemTimes {
		s.Times = append(s.Times, snap.At)
	}
}
