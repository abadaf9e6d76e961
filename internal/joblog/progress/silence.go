package progress

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
)

// quiet is how often a log grows.
type quiet struct {
	last    time.Time
	gaps    []time.Duration // the latest, oldest first; at most maxGaps
	longest time.Duration
}

const (
	maxGaps, fewGaps = 64, 8
	// leastSilence is the shortest silence. It is manyGaps times longer than what is usual, and longer than
	// twice the longest one before it: evaluations and checkpoints are silent too.
	leastSilence = 2 * time.Minute
	manyGaps     = 20
)

// note takes the time of an arrival.
func (q *quiet) note(at time.Time) {
	if gap := at.Sub(q.last); !q.last.IsZero() && gap > 0 {
		if len(q.gaps) == maxGaps {
			q.gaps = slices.Delete(q.gaps, 0, 1)
		}
		q.gaps = append(q.gaps, gap)
		q.longest = max(q.longest, gap)
	}
	q.last = at
}

func (q *quiet) silence(now time.Time) *progress.Silence {
	if len(q.gaps) < fewGaps {
		return nil
	}
	gaps := slices.Clone(q.gaps)
	slices.Sort(gaps)
	usual := gaps[len(gaps)/2]
	if now.Sub(q.last) < max(leastSilence, manyGaps*usual, 2*q.longest) {
		return nil
	}
	return &progress.Silence{Since: q.last, Usual: usual}
}
