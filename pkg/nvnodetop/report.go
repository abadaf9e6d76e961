package nvnodetop

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/health"
	observer "github.com/nvnodetop/nvnodetop/internal/output/report"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Report watches a job of the user to its end, from its start if it is pending, and returns its report: the same as
// nvnodetop report JOB. A part of an array or of a heterogeneous job is named by the ID of that part. Options.Job and
// Options.Nodes are ignored.
//
// If ctx ends before the job does, the error is that of ctx, and the report covers the time until then; it is nil if
// the job has not begun.
func Report(ctx context.Context, job string, o Options) (r *report.Report, err error) {
	if job == "" {
		return nil, fmt.Errorf("%w: its ID is empty", ErrNoJob)
	}
	if o.Nodes = ""; o.Demo == "" {
		o.Job = job
	}
	err = o.with(ctx, 0, func(t *target) error {
		cfg := t.cfg
		seen := observer.New(job, cfg.Poll, health.Rules(cfg.Thresholds))
		run := source.StartSession(ctx, t.from, seen.Apply)
		defer t.hold(run)()
		wait := &observer.Wait{Job: job, Answer: time.Now().Add(cfg.Timeout)}
		var missing error
		run.Await(0, func() (over bool) {
			stage, d := seen.Stage()
			if over, missing = wait.Over(time.Now(), stage, &d); stage == observer.Absent {
				missing = fmt.Errorf("%w: %w", ErrNoJob, missing)
			}
			return over
		})
		r = seen.Report()
		return cmp.Or(missing, run.Err())
	})
	if err == nil {
		err = context.Cause(ctx)
	}
	return r, err
}
