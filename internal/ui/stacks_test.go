package ui

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// Enter on the problem that a job stands still leads to where its ranks are, and Esc back.
func TestFromAHangToItsStacks(t *testing.T) {
	s := uitest.Fixture()
	s.Jobs[0].Findings = []cluster.Finding{{Kind: cluster.KindJobHang, Severity: cluster.Warning, Since: s.At}}
	r := newRig(t, s)
	if r.press("7", "enter"); r.view.on != keys.OnStacks {
		t.Errorf("Enter leads to %q", r.view.on)
	}
	if r.press("esc"); r.view.on != keys.OnProblems {
		t.Errorf("Esc leads to %q", r.view.on)
	}
}

// Enter on a rank that lags leads to the stacks; on one that has lagged, and in a recording, to its GPU.
func TestFromALagToItsStacks(t *testing.T) {
	for _, c := range []struct {
		over, replay bool
		want         keys.Page
	}{{false, false, keys.OnStacks}, {true, false, keys.OnGPU}, {false, true, keys.OnGPU}} {
		s := uitest.Fixture()
		node := s.Nodes[s.Jobs[0].Nodes[0]]
		lag := cluster.Finding{Kind: cluster.KindLag, Severity: cluster.Warning, Since: s.At, Node: node.Name,
			GPU: node.GPUs[0].Number, Key: node.GPUs[0].Key}
		if c.over {
			lag.Over = s.At
		}
		s.Jobs[0].Findings = []cluster.Finding{lag}
		r := newRig(t, s)
		r.scene.Replay = c.replay
		if r.press("7", "enter"); r.view.on != c.want {
			t.Errorf("%+v: Enter leads to %q", c, r.view.on)
		}
	}
}
