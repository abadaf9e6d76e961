package app

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// The reports can be tried without SLURM: of a job of the demo that runs, of those that have ended, of all, and of two.
func TestReportsOfTheDemo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Chdir(t.TempDir())
	for args, want := range map[string][]string{
		"--demo":               {"Jobs of alice, ", "48377_2  eval-mmlu", "RUNNING", "6 jobs, 2 failed"},
		"--demo=2x2 48377_2":   {"FAILED, exit code 3", "json.decoder.JSONDecodeError", "33m of 4h"},
		"--demo 2x2 48211":     {"RUNNING", "Watched", "GPU utilization  mean", "gpu-n02"},
		"--demo 48377_2 48211": {"Job 48211 llama-70b against Job 48377_2 eval-mmlu", "GPUs"},
	} {
		code, out, errs := apptest.Run(t, append([]string{"report"}, strings.Fields(args)...)...)
		for _, text := range want {
			if code != cli.ExitOK || !strings.Contains(out, text) {
				t.Errorf("report %s: exit code %d, %q, no %q in\n%s", args, code, errs, text, out)
			}
		}
	}
	if code, _, errs := apptest.Run(t, "report", "--demo", "99999"); code != cli.ExitNoJobs || strings.Count(errs, "\n") != 1 {
		t.Errorf("a job that is not known: exit code %d, %q", code, errs)
	}
}
