package ui

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// On the overview K and J change the job, as in the bash script: its cursor has the arrows, k and j.
func TestScriptKeysOnOverview(t *testing.T) {
	for key, want := range map[string]string{"K": "48377/gpu-s11 1", "J": "48377/gpu-s11 1", "k": "48211/gpu-n01 1",
		"j": "48211/gpu-n02 1"} {
		r := newRig(t, uitest.Fixture())
		r.press("o", key)
		if got := r.where(); got != want {
			t.Errorf("after %q on the overview: %s, want %s", key, got, want)
		}
	}
}
