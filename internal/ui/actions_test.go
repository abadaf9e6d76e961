package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// Each key of a page's help is the key of one action there, and each action has another name.
func TestEveryKeyIsAnAction(t *testing.T) {
	for _, p := range pages {
		names := map[string]bool{}
		actions := plain.actionsOf(p.id)
		for _, a := range actions {
			if names[a.ID] {
				t.Errorf("%s: two actions are called %q", p.id, a.ID)
			}
			names[a.ID] = true
		}
		for _, r := range plain.helpOf(p.id) {
			for _, b := range r.Bindings {
				found := r.Same != nil
				for _, a := range actions {
					found = found || keys.AsksFor(a.Do(), b) || a.ID == r.Text ||
						slices.Contains(strings.Fields(a.Keys), keys.HintOf(b).Key)
				}
				if !found {
					t.Errorf("%s: %s is no action", p.id, b.Help().Key)
				}
			}
		}
	}
}

// A need that is not met has a reason.
func TestWhy(t *testing.T) {
	_, all := shot{snap: uitest.Fixture, view: func(*view) {}}.scene(120, 40)
	for need := keys.NeedsJob; need <= keys.NeedsRecorder; need <<= 1 {
		if why := footer.WhyNoEffect(all, need); why != "" && need != keys.NeedsSharing {
			t.Errorf("need %b: %s", need, why)
		}
	}
	_, none := shot{snap: uitest.NoJobsFixture, view: func(*view) {}}.scene(120, 40)
	none.ReadOnly, none.Replay = "--readonly", true
	for need := keys.NeedsJob; need <= keys.NeedsRecorder; need <<= 1 {
		if footer.WhyNoEffect(none, need) == "" {
			t.Errorf("need %b is met without a job", need)
		}
	}
}
