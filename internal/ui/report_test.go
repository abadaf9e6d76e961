package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/pkg/report"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// Enter on a job that has ended asks for its report, with a deadline and also without a job that runs. A recording has
// none, and says so.
func TestTheReportOfAnEndedJob(t *testing.T) {
	for _, jobs := range [][]cluster.JobView{uitest.JobsFixture().Jobs, nil} {
		snap := uitest.JobsFixture()
		snap.Jobs = jobs
		r := newRig(t, snap)
		r.press("1", "end")
		if r.do(r.press("enter")); r.view.focusedKeys(r.scene) != keys.OnReport ||
			!strings.Contains(r.text(), "a recording") {
			t.Errorf("%d jobs, without reports:\n%s", len(jobs), r.text())
		}
		r.Report = func(ctx context.Context, job string) (*report.Report, error) {
			if _, bounded := ctx.Deadline(); !bounded || job != "48100" {
				return nil, errors.New("no deadline, or another job")
			}
			return uitest.AReport(), nil
		}
		r.press("esc")
		if r.do(r.press("enter")); !strings.Contains(r.text(), "From SLURM's accounting") {
			t.Errorf("%d jobs, with reports:\n%s", len(jobs), r.text())
		}
		if r.press("esc"); r.view.focusedKeys(r.scene) != keys.OnJobs {
			t.Errorf("Esc leads to %s", r.view.focusedKeys(r.scene))
		}
	}
}
