package ui

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/ui/uitest"
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
