package part

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// A healthy start has no problems: the first attempts to connect are none.
func TestConnectingIsNoProblem(t *testing.T) {
	connects := cluster.Finding{Kind: cluster.KindConnecting, Severity: cluster.Waiting, Node: "n1"}
	lost := cluster.Finding{Kind: cluster.KindLost, Severity: cluster.Critical, Node: "n2"}
	job := &cluster.JobView{Findings: []cluster.Finding{connects, lost}}
	h := NewHealth(&cluster.Snapshot{}, job)
	for node, want := range map[string]int{"": 1, "n1": 0, "n2": 1} {
		if got := h.Listed(node); len(got) != want {
			t.Errorf("%q has the problems %v, want %d", node, got, want)
		}
	}
	clear(h.Listed("n2")) // the list is the caller's
	if len(job.Findings) != 2 || job.Findings[1].Kind != cluster.KindLost ||
		job.Findings[0].Kind != cluster.KindConnecting {
		t.Errorf("the findings of the job have changed: %v", job.Findings)
	}
}
