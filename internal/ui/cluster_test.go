package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// The page of the cluster is asked for while it is open, with and without a job, and no longer.
func TestTheClusterIsAskedForWhileItIsOpen(t *testing.T) {
	for _, r := range []*rig{newRig(t, uitest.Fixture()), newRig(t, uitest.NoJobsFixture())} {
		r.do(r.askOn())
		if len(r.heard.clusters) != 0 {
			t.Error("asked before the page is open")
		}
		if r.do(r.press("c")); r.view.focusedKeys(r.scene) != keys.OnCluster || len(r.heard.clusters) != 1 ||
			!strings.Contains(r.text(), "37 of 110 GPUs free") {
			t.Errorf("%d questions:\n%s", len(r.heard.clusters), r.text())
		}
		r.now = r.now.Add(10 * time.Second)
		r.do(r.askOn())
		r.do(r.askOn())
		if len(r.heard.clusters) != 2 {
			t.Errorf("%d questions after 10 s", len(r.heard.clusters))
		}
		r.press("r")
		r.do(r.askOn())
		if n := len(r.heard.clusters); n != 3 || !r.heard.clusters[2] {
			t.Errorf("r: questions %v", r.heard.clusters)
		}
		r.do(r.press("c"))
		r.now = r.now.Add(time.Hour)
		r.do(r.askOn())
		if r.view.focusedKeys(r.scene) == keys.OnCluster || len(r.heard.clusters) != 3 {
			t.Errorf("%d questions after the page was left", len(r.heard.clusters))
		}
	}
}
