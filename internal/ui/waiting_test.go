package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// SLURM is asked why a job waits only after a key, once until it has answered, and with a deadline; also without a job
// that runs. The answer is safe to display, and comes back with the page.
func TestWhyAJobWaits(t *testing.T) {
	for _, jobs := range [][]cluster.JobView{uitest.JobsFixture().Jobs, nil} {
		snap := uitest.JobsFixture()
		snap.Jobs = jobs
		r := newRig(t, snap)
		r.press("1", "home")
		for range jobs {
			r.press("down")
		}
		r.do(r.press("enter"))
		if text := r.text(); r.view.focusedKeys(r.scene) != keys.OnWaiting || len(r.heard.waiting) > 0 ||
			!strings.Contains(text, "job 48390 waits: Priority") || !strings.Contains(text, "E asks SLURM") {
			t.Fatalf("%d jobs, Enter asks %q:\n%s", len(jobs), r.heard.waiting, text)
		}
		r.press("esc")
		asked := r.press("E")
		if again := r.press("E"); !strings.Contains(r.text(), "Asking SLURM") {
			t.Errorf("%d jobs, asked:\n%s", len(jobs), r.text())
		} else if r.do(again); len(r.heard.waiting) > 0 {
			t.Errorf("%d jobs: asked twice", len(jobs))
		}
		r.do(asked)
		text := r.text()
		for _, want := range []string{"asked 12s ago", "ahead: 2 jobs for 6 nodes; 1 more", "priority: 5414: age 250",
			"submitted again as it is (4 nodes, gpu:8 on each, 1d): ", "again with 2 nodes: ", "again with 12h: not at all: Requested"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d jobs: no %q in\n%s", len(jobs), want, text)
			}
		}
		if strings.Contains(text, "\x1b[2J") || !slices.Equal(r.heard.waiting, []string{"48390"}) {
			t.Errorf("%d jobs: asked about %q\n%q", len(jobs), r.heard.waiting, text)
		}
		r.press("esc", "enter")
		if !strings.Contains(r.text(), "ahead: 2 jobs") {
			t.Errorf("%d jobs, the answer is gone:\n%s", len(jobs), r.text())
		}
		r.press("esc", "end", "E")
		if !strings.Contains(r.text(), "no job waits in this row") || len(r.heard.waiting) != 1 {
			t.Errorf("%d jobs, on a job that has ended:\n%s", len(jobs), r.text())
		}
	}
}
