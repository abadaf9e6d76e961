package report

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/joblog/runs"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// A report has the pace that was kept of its job, beside the last earlier run of the same program. A job that nobody
// has watched has none, nor has one whose number another job had before, nor any if the user keeps no runs.
func TestPaceOfAReport(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	path, err := config.RunsFile()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC().Truncate(time.Second)
	run := func(job, name string, ago time.Duration, pace float64) runs.Run {
		return runs.Run{Job: job, User: "alice", Name: name, Shape: runs.Shape{Nodes: 2, GPUs: 16, Model: "H100"},
			Seen: now.Add(-ago), Form: "general", SecondsPerStep: pace}
	}
	if err := runs.Keep(path, now, run("48102", "train", 80*time.Hour, 2.64), run("48211", "train", time.Hour, 2.4),
		run("9", "eval", 70*time.Hour, 1)); err != nil {
		t.Fatal(err)
	}
	earlier := &report.EarlierRun{Job: "48102", Seen: now.Add(-80 * time.Hour), SecondsPerStep: 2.64}
	for name, tc := range map[string]struct {
		job  report.Job
		off  bool
		want *report.Pace
	}{
		"two runs": {report.Job{ID: "48211", User: "alice", Start: now.Add(-9 * time.Hour)}, false,
			&report.Pace{SecondsPerStep: 2.4, Earlier: earlier}},
		"its first run":       {report.Job{ID: "48102", User: "alice"}, false, &report.Pace{SecondsPerStep: 2.64}},
		"not watched":         {report.Job{ID: "7", User: "alice"}, false, nil},
		"of somebody else":    {report.Job{ID: "48211", User: "bob"}, false, nil},
		"the number was used": {report.Job{ID: "9", User: "alice", Start: now.Add(-2 * time.Hour)}, false, nil},
		"runs = false":        {report.Job{ID: "48211", User: "alice"}, true, nil},
	} {
		p := &cli.Program{Config: config.Default()}
		p.Config.Runs = !tc.off
		if diff := cmp.Diff(tc.want, addKnown(p, &report.Report{Job: tc.job}).Pace); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
