package cluster

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
)

// JobProgress is how far the program of a job is, as its log says it. Only numbers of a log are in it, never lines. A
// Snapshot may have the pace from the power of the GPUs.
type JobProgress struct {
	Job string `json:"job"` // ID
	progress.Progress
	Silence *progress.Silence `json:"silence,omitempty"` // nil: the log grows as it used to
}

// IsOfRun reports whether the steps are counted within the whole run.
func (p *JobProgress) IsOfRun() bool { return p.Scope == progress.OfRun }

const (
	// A line is too old to say when a run ends after manySteps, but not before leastOld: evaluations and checkpoints
	// take their time too.
	manySteps = 20
	leastOld  = 10 * time.Minute
)

// Forecast returns how the run of a job ends, compared with the job's time limit, if it has one; nil: not known.
func (j *JobView) Forecast(now time.Time) *progress.Forecast { return j.Progress.Forecast(&j.Job, now) }

// Forecast returns how the run of a job ends, compared with the job's time limit, if it has one; nil: not known. A
// program whose log stands still may have stopped. p may be nil.
func (p *JobProgress) Forecast(j *Job, now time.Time) *progress.Forecast {
	if p == nil || p.Silence != nil || j.Suspended {
		return nil
	}
	old := leastOld
	if p.SecondsPerStep != nil && *p.SecondsPerStep < time.Hour.Seconds() {
		old = max(old, time.Duration(manySteps**p.SecondsPerStep*float64(time.Second)))
	}
	if now.Sub(p.At) > old {
		return nil
	}
	f := p.Compare(now, j.End)
	if f == nil || f.EndsIn == 0 { // it should have ended, and has not
		return nil
	}
	return f
}
