package export

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// newProgress is how far the program of a job is; nil: not known.
func newProgress(j *cluster.JobView, now time.Time) *schema.Progress {
	p := j.Progress
	if p == nil {
		return nil
	}
	to := &schema.Progress{Time: p.At, Step: p.Step, Steps: p.Total, StepsOf: schema.ProgressScope(p.Scope.String()),
		Epoch: p.Epoch, Epochs: p.Epochs, SecondsPerStep: shortPace(p.SecondsPerStep),
		PaceFrom:       schema.PaceFrom(p.Source.String()),
		UnitsPerSecond: p.UnitsPerSecond, Unit: p.Unit, Loss: p.Loss, LossDiverged: p.Diverged,
		LearningRate: p.LearningRate, MFUPercent: p.MFU, DonePercent: percentOf(p.Done()), ResumedAtStep: p.Resumed,
		Text: say.Progress(j, now)}
	if p.Slower != nil {
		to.SecondsPerStepBefore, to.SlowerSince = shortPace(&p.Slower.Before), p.Slower.Since
	}
	if e := p.Earlier; e != nil {
		to.Earlier = &schema.Run{JobID: e.Job, Seen: e.Seen, SecondsPerStep: *shortPace(&e.SecondsPerStep)}
	}
	if p.LastCheckpoint != nil {
		to.CheckpointTime, to.CheckpointStep = p.LastCheckpoint.At, p.LastCheckpoint.Step
	}
	if p.Silence != nil {
		to.SilentSince = p.Silence.Since
	}
	if f := j.Forecast(now); f != nil {
		to.EndsInSeconds, to.DoneAtLimitPercent = roundedOrNil(f.EndsIn.Seconds()), percentOf(f.Done)
		if !j.End.IsZero() {
			to.AfterLimitSeconds = roundedOrNil(f.After.Seconds())
		}
	}
	return to
}

// shortPace is the time of a step without digits that mean nothing; nil: unknown.
func shortPace(seconds *float64) *float64 {
	if seconds == nil {
		return nil
	}
	short := metric.Round(*seconds, 6)
	return &short
}

// percentOf is a share in percent; nil: unknown.
func percentOf(share *float64) *float64 {
	if share == nil {
		return nil
	}
	return roundedOrNil(100 * *share)
}

// jobNumbers are the metrics of jobs for Prometheus.
var jobNumbers = []struct {
	name, help string
	value      func(*cluster.JobProgress) *float64
}{
	{"nvnodetop_job_step", "The step of the job's program, as its log says it.",
		func(p *cluster.JobProgress) *float64 { return asFloat(p.Step) }},
	{"nvnodetop_job_steps", "The number of steps of the run or the epoch, as the job's log says it.",
		func(p *cluster.JobProgress) *float64 { return asFloat(p.Total) }},
	{"nvnodetop_job_seconds_per_step",
		"The time that a step of the job's program takes, from its log, or else from the power of its GPUs.",
		func(p *cluster.JobProgress) *float64 { return shortPace(p.SecondsPerStep) }},
	{"nvnodetop_job_loss", "The loss of the training, as the job's log says it.",
		func(p *cluster.JobProgress) *float64 { return p.Loss }},
}

func asFloat(n *int64) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

// writeProgress writes how far the programs of jobs are.
func (e *exposition) writeProgress(s *cluster.Snapshot) {
	for _, n := range jobNumbers {
		f := gaugeFamily(n.name, n.help)
		for i := range s.Jobs {
			if j := &s.Jobs[i]; j.Progress != nil {
				if v := n.value(j.Progress); v != nil {
					e.writeSample(&f, string(labels("").addPair("job_id", j.ID)), "", *v)
				}
			}
		}
	}
}
