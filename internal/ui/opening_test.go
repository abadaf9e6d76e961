package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// Before the first Snapshot the screen says what it waits for, takes keys, and keeps nothing to look back at.
func TestOpening(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	says := "Simulating 1000 nodes …"
	r.Opening = func() string { return says }
	r.past.Await(r.now)
	r.send(tick{r.chain})
	if text := r.screen.String(); !strings.Contains(text, says) || strings.Contains(text, "48211") {
		t.Errorf("the first frame is\n%s", text)
	}
	r.press("1", "(", "2", "5", "?", "esc", "n")
	if r.scene.Job != nil {
		t.Errorf("a job without a Snapshot: %v", r.scene.Job)
	}
	says = ""
	r.send(tick{r.chain})
	if text := r.screen.String(); strings.Contains(text, "Simulating") || !strings.Contains(text, "48211") {
		t.Errorf("the first Snapshot is drawn as\n%s", text)
	}
	says = "again" // it is not asked again
	r.send(tick{r.chain})
	if text := r.screen.String(); strings.Contains(text, "again") {
		t.Errorf("the screen opens again:\n%s", text)
	}
}

// Without a job, whatever page the user has chosen, SLURM is asked as often as for the list of jobs, and no node.
func TestWantsWithoutAJob(t *testing.T) {
	for _, view := range []string{ViewNode, ViewOverview} {
		for name, snap := range map[string]*cluster.Snapshot{"no answer": {At: uitest.Now},
			"no job": uitest.NoJobsFixture()} {
			r := newRig(t, snap)
			o := r.Options
			o.View = view
			r.model = newModel(o, &r.out)
			r.heard = asked{}
			r.resize(120, 40)
			r.send(tick{})
			if !slices.Equal(r.heard.listed, []bool{true}) || len(r.heard.looks) > 0 {
				t.Errorf("%s, %s: ListJobs heard %v, Look %v", view, name, r.heard.listed, r.heard.looks)
			}
		}
	}
	r := newRig(t, uitest.Fixture())
	r.press("o")
	r.heard, r.snap = asked{}, uitest.NoJobsFixture()
	r.send(tick{r.chain})
	r.snap = uitest.Fixture()
	r.send(tick{r.chain})
	if want := []bool{true, false}; !slices.Equal(r.heard.listed, want) || r.where() != "48211/gpu-n01 1" {
		t.Errorf("all jobs ended, and one began: ListJobs heard %v, the screen is %s", r.heard.listed, r.where())
	}
}
