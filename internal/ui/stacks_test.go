package ui

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// Enter on the problem that a job stands still leads to where its ranks are, and Esc back.
func TestFromAHangToItsStacks(t *testing.T) {
	s := fixture()
	s.Jobs[0].Findings = []cluster.Finding{{Kind: cluster.KindJobHang, Severity: cluster.Warning, Since: s.At}}
	r := newRig(t, s)
	if r.press("7", "enter"); r.view.on != keys.OnStacks {
		t.Errorf("Enter leads to %q", r.view.on)
	}
	if r.press("esc"); r.view.on != keys.OnProblems {
		t.Errorf("Esc leads to %q", r.view.on)
	}
}
