package clean

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

// longestLeft is the longest time that a log is believed to say is left.
const longestLeft = 10 * 365 * 24 * time.Hour

// Progress returns how far the program of a job is, in a form that is safe to display. Numbers that cannot be are
// absent.
func Progress(p *cluster.JobProgress) *cluster.JobProgress {
	to := *p
	to.Job, to.Form, to.Unit = safe.Line(p.Job, maxPart), safe.Line(p.Form, maxPart), safe.Line(p.Unit, maxPart)
	if to.SecondsPerStep != nil && *to.SecondsPerStep <= 0 {
		to.SecondsPerStep = nil
	}
	if to.Slower != nil && to.Slower.Before <= 0 {
		to.Slower = nil
	}
	if e := to.Earlier; e != nil {
		to.Earlier = &progress.Earlier{Job: safe.Line(e.Job, maxPart), Seen: e.Seen, SecondsPerStep: e.SecondsPerStep}
		if e.SecondsPerStep <= 0 {
			to.Earlier = nil
		}
	}
	if to.ETA != nil && (*to.ETA < 0 || *to.ETA > longestLeft) {
		to.ETA = nil
	}
	if to.Scope > progress.OfEpoch {
		to.Scope = progress.UnknownScope
	}
	if to.ETAScope > progress.OfEpoch {
		to.ETAScope = progress.UnknownScope
	}
	if to.Source > progress.Counted {
		to.Source = progress.NoSource
	}
	return &to
}
