package ui

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// The title is that of the selected job.
func TestTitleOfSelected(t *testing.T) {
	r := newRig(t, uitest.Fixture())
	r.press("down")
	if got := r.View().WindowTitle; !strings.HasPrefix(got, "nvnodetop 48377") {
		t.Errorf("the title is %q", got)
	}
}
