package ui

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// The ends of the tabs have the marks of nodes that are not there: an error is never out of sight.
func TestTabsMarkWhatTheyHide(t *testing.T) {
	t.Parallel()
	for at, node := range map[int]string{0: "gpu-n001", 63: "gpu-n064", 30: "gpu-n031"} {
		s := shot{name: "tabs", snap: uitest.BigFixture, view: func(v *view) { v.on = keys.OnNode; v.chooseNode(node, at) }}
		for w := 60; w <= 200; w += 10 {
			row := linesOf(s, w, 40)[2]
			if !strings.Contains(row, "✗") || !strings.Contains(row, "▲") ||
				strings.HasSuffix(strings.TrimRight(row, "─"), "…") {
				t.Errorf("%s, %d wide: %q", node, w, row)
			}
			if at == 0 && !strings.Contains(row, "› ✗▲ ") || at == 63 && !strings.Contains(row, "✗▲ ") {
				t.Errorf("%s, %d wide: the ends have no marks: %q", node, w, row)
			}
		}
	}
	few := shot{name: "few", snap: uitest.Fixture, view: func(v *view) { v.on = keys.OnNode }}
	for w := 60; w <= 200; w += 10 {
		if row := linesOf(few, w, 40)[2]; strings.ContainsAny(row, "‹›") {
			t.Errorf("%d wide: all nodes fit: %q", w, row)
		}
	}
}

// How long a stage took stands close to what happened in it.
func TestTimesOfStagesStandClose(t *testing.T) {
	s := shot{name: "connection", snap: func() *cluster.Snapshot {
		snap := uitest.Fixture()
		for i := range snap.Nodes["gpu-n01"].Steps {
			snap.Nodes["gpu-n01"].Steps[i].Text = "well"
		}
		return snap
	}, view: func(v *view) { v.on = keys.OnConnection }}
	for _, line := range linesOf(s, 120, 40) {
		if _, behind, found := strings.Cut(line, "  well "); found &&
			len(behind)-len(strings.TrimLeft(behind, " ")) > 24 {
			t.Errorf("the time stands far away: %q", line)
		}
	}
}
