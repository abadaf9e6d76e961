package uitest

import (
	"errors"
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// ACluster is a cluster with nodes of the fixture's jobs, and nodes of others in all states.
func ACluster(more int) *capacity.Cluster {
	typed := func(name string, total, used int) []notation.GPUType {
		return []notation.GPUType{{Name: name, Total: total, Used: used, Known: true}}
	}
	s := &capacity.Supply{
		Partitions: []capacity.SuppliedPartition{{Name: "gpu", Default: true, State: "up"}, {Name: "gpu-long", State: "up"},
			{Name: "old", State: "down"}},
		Nodes: []capacity.SuppliedGPUs{
			{Name: "gpu-down", States: []string{"DOWN"}, Silent: true, Types: typed("", 4, 0),
				Reason: "Not responding [slurm@2026-11-20T16:02:11]"},
			{Name: "gpu-drain", States: []string{"IDLE", "DRAIN"}, Types: typed("a100", 8, 0),
				Reason: "GPU 3 has fallen off the bus, vendor comes on Monday [root@2026-11-19T09:12:40]"},
			{Name: "gpu-hidden", States: []string{"MIXED"}, Types: typed("a100", 8, 3)},
			{Name: "gpu-mig", States: []string{"MIXED"}, Types: append(typed("a100_1g.10gb", 14, 3),
				typed("a100_3g.40gb", 4, 4)...)},
			{Name: "gpu-resv", States: []string{"IDLE", "RESERVED"}, Types: typed("h100", 8, 0)},
		},
		Jobs: []capacity.SuppliedJob{{ID: "48211", User: "alice", Nodes: []string{"gpu-n01", "gpu-n02"}, PerNode: 8,
			Start: Now.Add(-8*time.Hour - 3*time.Minute), End: Now.Add(16 * time.Hour)},
			{ID: "48344", User: "erin", Nodes: []string{"gpu-mig"}, PerNode: 7}},
	}
	for i := range more {
		s.Nodes = append(s.Nodes, capacity.SuppliedGPUs{Name: fmt.Sprintf("gpu-n%02d", i+1), States: []string{"ALLOCATED"},
			Types: typed("h100", 8, 8), InUse: []int{0, 1, 2, 3, 4, 5, 6, 7}})
		if i >= 2 {
			last := &s.Nodes[len(s.Nodes)-1]
			last.States[0], last.Types[0].Used, last.InUse = "MIXED", i%8, last.InUse[:i%8]
			s.Jobs = append(s.Jobs, capacity.SuppliedJob{ID: fmt.Sprint(49000 + i), User: []string{"bob", "carol"}[i%2],
				Nodes: []string{last.Name}, PerNode: 8})
		}
	}
	for i, n := range s.Nodes {
		for p := range s.Partitions {
			if p == 0 || p == 1 && i%2 == 1 || p == 2 && i == 0 {
				s.Partitions[p].Nodes = append(s.Partitions[p].Nodes, n.Name)
			}
		}
	}
	return capacity.Of(s, Now.Add(-12*time.Second))
}

// IdleFixture is a cluster where two GPUs of a job do nothing: one since a while, one for as long as is known.
func IdleFixture() *cluster.Snapshot {
	s := Fixture()
	for number, since := range map[int]int64{2: 30, 5: 0} {
		g := &s.Nodes["gpu-n02"].GPUs[number]
		g.Values.Set(metric.Util, 0)
		g.History = history.History{}
		for bin := range int64(80) {
			g.History.Add(bin, 200, func(metric.ID) float64 {
				if bin < since {
					return 97
				}
				return 0
			})
		}
	}
	return s
}

// ErrHiddenNodes is the failure where a site hides its nodes.
var ErrHiddenNodes = error(&reach.Failure{Class: reach.ClassSlurm, Short: "SLURM hides the nodes from you",
	Meaning: "Your site shows nodes only to its operators: PrivateData in slurm.conf has \"nodes\".",
	Cause:   "slurm_load_node: Access/permission denied"})

// ErrNoController is the failure while SLURM does not answer.
var ErrNoController = errors.New("slurmctld not responding")
