package health

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

const (
	// slowFor is how long the steps of a log must take longer before that is reported.
	slowFor = 5 * time.Minute
	// logSilentFor is how long a log that used to grow must be silent. Many evaluations are shorter, and are silent too.
	logSilentFor = 10 * time.Minute
	// steadyForecast is how long a forecast must say that a program will not finish: the first steps are slow.
	steadyForecast = 10 * time.Minute

	// A program will not finish if it ends after the time limit by this time, and by this share of the time that it
	// still needs: the pace of its log is not exact.
	leastOverrun, leastOverrunShare = 10 * time.Minute, 0.05
)

// logStepsSlower finds a job whose log says that its steps take longer than before.
func (s ruleSubject) logStepsSlower() (c cluster.Condition, is bool) {
	p := s.Progress
	if p == nil || p.Slower == nil || p.SecondsPerStep == nil || p.Silence != nil ||
		s.Peers.At.Sub(p.Slower.Since) < slowFor {
		return c, false
	}
	return cluster.Condition{Since: p.Slower.Since, Compared: &cluster.Comparison{Progress: p,
		Of: len(s.Peers.GPUs) + s.Peers.Away}}, true
}

// logSilent finds a job whose log does not grow any more. Only a log that says steps is judged: other programs write
// at their start, and then work for hours.
func logSilent(s ruleSubject) []cluster.Condition {
	p := s.Progress
	if p == nil || p.Silence == nil || p.Step == nil || isAtEnd(p) || s.Peers.At.Sub(p.Silence.Since) < logSilentFor {
		return nil
	}
	return []cluster.Condition{{Since: p.Silence.Since, Compared: &cluster.Comparison{Progress: p}}}
}

// isAtEnd reports whether a log has said its last step: what follows, such as a test, need not be in it.
func isAtEnd(p *cluster.JobProgress) bool {
	done := p.Done()
	return done != nil && *done >= 1
}

// isOfChain reports whether a job continues another one, or will be continued.
func (s ruleSubject) isOfChain() bool {
	return s.Progress != nil && s.Progress.Resumed != nil || s.Discovery != nil && s.Job.Name != "" &&
		slices.ContainsFunc(s.Discovery.Pending, func(p cluster.PendingJob) bool { return p.Name == s.Job.Name })
}

// takesTooLong finds a job whose program will not finish within the time limit. A job of a chain need not: it went on
// from a checkpoint, or its successor waits already.
func takesTooLong(s ruleSubject) []cluster.Condition {
	if s.Job.End.IsZero() || s.isOfChain() {
		return nil
	}
	f := s.Progress.Forecast(s.Job, s.Peers.At)
	if f == nil || f.After < leastOverrun || f.After.Seconds() < leastOverrunShare*f.EndsIn.Seconds() {
		return nil
	}
	return []cluster.Condition{{Compared: &cluster.Comparison{Progress: s.Progress, Forecast: f}}}
}
