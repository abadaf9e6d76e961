package export

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// A problem that cannot be found has the time that it takes, or another reason.
func TestNotCheckedSaysWhy(t *testing.T) {
	s := &cluster.Snapshot{NotChecked: []cluster.NotChecked{{Kind: cluster.KindThermal, Takes: 30 * time.Second},
		{Kind: cluster.KindLag, Why: cluster.BriefLags}, {Kind: cluster.KindIdle, Why: cluster.TooSeldom},
		{Kind: cluster.KindLag, Why: cluster.NodesApart, Job: "7"}}}
	got := Document(s).NotChecked
	want := []schema.NotChecked{
		{Kind: "thermal", Seconds: 30},
		{Kind: "lag", Why: "a lag that comes and goes is not seen: it needs reports at most 10s apart"},
		{Kind: "idle", Why: "nodes report too rarely: it needs reports less than 60s apart"},
		{Kind: "lag", Job: "7", Why: "the nodes of this job are not compared with each other: no traffic between them " +
			"is visible, for example because the counters of the network are hidden"},
	}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Errorf("%d: %+v, want %+v", i, got, want[i])
		}
	}
}
