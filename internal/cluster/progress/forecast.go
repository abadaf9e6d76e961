package progress

import (
	"math"
	"time"
)

// longest is the longest time left that is believed.
const longest = 10 * 365 * 24 * time.Hour

// EndsIn returns the time until the end of the run, at a time; nil: the log does not say enough. What the log itself
// says about the run counts first, then the steps that are left and the pace.
func (p *Progress) EndsIn(now time.Time) *time.Duration {
	var left time.Duration
	switch steps := p.StepsLeft(); {
	case p.ETA != nil && p.ETAScope == OfRun:
		left = *p.ETA
	case steps != nil && p.SecondsPerStep != nil:
		seconds := *steps * *p.SecondsPerStep
		if !(seconds <= longest.Seconds()) {
			return nil
		}
		left = time.Duration(seconds * float64(time.Second))
	default:
		return nil
	}
	left = max(left-max(now.Sub(p.At), 0), 0)
	return &left
}

// Forecast is how a run ends, compared with the time limit of its job.
type Forecast struct {
	EndsIn time.Duration
	After  time.Duration // by how much it ends after the limit; negative: before it
	Done   *float64      // the share of the run that is done at the limit, from 0 to 1; nil: unknown
}

// Compare compares the end of a run with the time limit of its job, if it has one; nil: the end is not known.
func (p *Progress) Compare(now, limit time.Time) *Forecast {
	ends := p.EndsIn(now)
	if ends == nil {
		return nil
	}
	if limit.IsZero() {
		return &Forecast{EndsIn: *ends}
	}
	f := &Forecast{EndsIn: *ends, After: *ends - limit.Sub(now)}
	if done := p.Done(); done != nil {
		f.Done = share(1)
		if f.After > 0 && *ends > 0 {
			part := math.Max(limit.Sub(now).Seconds(), 0) / ends.Seconds()
			f.Done = share(*done + (1-*done)*part)
		}
	}
	return f
}
