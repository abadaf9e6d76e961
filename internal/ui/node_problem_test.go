package ui

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

// A problem of all GPUs of a node is one sentence, and each GPU has its letter and its flag.
func TestProblemOfEveryGPU(t *testing.T) {
	s := uitest.Fixture()
	n := s.Nodes["gpu-n01"]
	for i := range n.GPUs {
		n.GPUs[i].HangsMS, n.GPUs[i].Call = 25_000, "power"
	}
	j := &s.Jobs[0]
	j.Findings = append([]cluster.Finding{{
		Kind: cluster.KindHang, Severity: cluster.Critical, Since: uitest.Ago(25e9), Times: 1, Job: j.ID, Node: "gpu-n01",
		GPU: cluster.NoNumber, Every: true,
	}}, j.Findings...)
	r := newRig(t, s)
	text := r.text()
	if strings.Count(text, "HUNG") != len(n.GPUs) ||
		strings.Count(text, "All GPUs hung: driver calls hang for all 8 GPUs of the node (power, 25s).") != 1 {
		t.Errorf("the node view:\n%s", text)
	}
	r.press("o")
	for _, line := range strings.Split(r.text(), "\n") {
		if strings.Contains(line, "gpu-n01") && strings.Contains(line, "all GPUs hung 25s") {
			if strings.Count(line, "X") < len(n.GPUs) {
				t.Errorf("a cell has no letter: %s", line)
			}
			return
		}
	}
	t.Errorf("the overview:\n%s", r.text())
}
