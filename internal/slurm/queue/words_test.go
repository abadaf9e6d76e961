package queue

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestText(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	own := Shape{Nodes: 2, Tasks: 8, PerNode: "gpu:3", Limit: 30 * time.Minute}
	one, short := own, own
	one.Nodes, short.Limit = 1, 15*time.Minute
	w := &Wait{Job: "7", Reason: "Resources", Partition: "gpu", Priority: 1253, Start: now.Add(time.Hour),
		Factors: []Factor{{Name: "age", Value: 1000}, {Name: "fair share", Value: 253}},
		Ahead:   &Ahead{Jobs: 2, Nodes: 32, Blocked: 1},
		Trials: []Trial{{Shape: own, Start: now.Add(48 * time.Hour), Nodes: "node[01-02]"},
			{Shape: one, Start: now.Add(time.Second), Nodes: "node03"},
			{Shape: short, Refused: "Requested node configuration is not available"}}}
	want := `job 7 waits in partition gpu: SLURM's reason is Resources
start: 13:00:00, in 1h, as SLURM estimates
ahead: 2 jobs for 32 nodes; 1 more with a higher priority wait for something else
priority: 1253: age 1000, fair share 253
submitted again as it is (2 nodes, gpu:3 on each, 30m): 2026-03-04 12:00:00, in 2d, on node[01-02]
submitted again with 1 node: now, on node03
submitted again with 15m: not at all: Requested node configuration is not available
`
	if diff := cmp.Diff(want, w.Text(now)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	bare := &Wait{Job: "7", Reason: "Dependency", Partition: "gpu", Ahead: &Ahead{}}
	want = "job 7 waits in partition gpu: SLURM's reason is Dependency\nstart: SLURM has no estimate\n" +
		"ahead: no job that you may see\n"
	if diff := cmp.Diff(want, bare.Text(now)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
