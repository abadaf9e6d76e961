package uitest

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/queue"
)

// AWait is what SLURM says about job 48390 of JobsFixture.
func AWait() *queue.Wait {
	own := queue.Shape{Nodes: 4, Tasks: 32, PerNode: "gpu:8", Limit: 24 * time.Hour}
	half, short := own, own
	half.Nodes, half.Tasks, short.Limit = 2, 16, 12*time.Hour
	start := Now.Add(3*time.Hour + 10*time.Minute)
	return &queue.Wait{Job: "48390", Asked: Ago(12 * time.Second), Reason: "Priority", Partition: "gpu-long",
		Priority: 5414, Start: start,
		Factors: []queue.Factor{{Name: "age", Value: 250}, {Name: "fair share", Value: 3100},
			{Name: "size", Value: 64}, {Name: "partition", Value: 2000}, {Name: "QOS", Value: 0}},
		Ahead: &queue.Ahead{Jobs: 2, Nodes: 6, Blocked: 1},
		Trials: []queue.Trial{{Shape: own, Start: start, Nodes: "gpu-n[01-04]"},
			{Shape: half, Start: Now.Add(52 * time.Minute), Nodes: "gpu-n[01-02]"},
			{Shape: short, Refused: "Requested\x1b[2J node configuration is not available"}}}
}
