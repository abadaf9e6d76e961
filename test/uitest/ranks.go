package uitest

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// seen notes the ranks that a node lists, as the Store does.
func seen(n *cluster.Node) {
	for i := range n.Processes {
		p := &n.Processes[i]
		for k := range n.GPUs {
			if g := &n.GPUs[k]; p.Rank != nil && g.Index == p.GPU {
				n.Ranks = append(n.Ranks, cluster.SeenRank{Rank: *p.Rank, Job: "48211", PID: p.PID, Key: g.Key,
					Number: g.Number, Began: Ago(8 * time.Hour), Seen: n.ListedAt})
			}
		}
	}
}

// RanksFixture is a job whose rank 13 has left its GPU, with a GPU that lags, a node that is silent, and one that was
// never reached.
func RanksFixture() *cluster.Snapshot {
	s := Fixture()
	job := &s.Jobs[0]
	n2, n3 := s.Nodes["gpu-n02"], NodeOf(rand.New(rand.NewPCG(3, 3)), "gpu-n03", 8)
	n2.Processes[3].SMPercent, n2.Processes[3].CPUPercent = new(23), new(12.4)
	listProcesses(n3, 361402, 16)
	n3.Age, n3.Arrived, n3.State = 48*time.Second, Ago(48*time.Second), cluster.NodeStale
	n3.ListedAt = n3.Arrived
	s.Nodes["gpu-n03"] = n3
	for _, n := range []*cluster.Node{s.Nodes["gpu-n01"], n2, n3} {
		seen(n)
	}
	n2.Ranks[5].Seen = Ago(40 * time.Second)
	n2.Processes = slices.Delete(n2.Processes, 5, 6)
	job.Reporting, job.GPUsSeen = 2, 16
	job.Findings = []cluster.Finding{
		job.Findings[0], job.Findings[1],
		{Kind: cluster.KindStale, Severity: cluster.Warning, Since: Ago(39 * time.Second), Node: "gpu-n03", GPU: -1},
	}
	return Keyed(s)
}

// UnrankedFixture is a job whose processes name no ranks.
func UnrankedFixture() *cluster.Snapshot {
	s := Fixture()
	for _, name := range []string{"gpu-n01", "gpu-n02"} {
		n := s.Nodes[name]
		for i := range n.Processes {
			n.Processes[i].Rank = nil
		}
	}
	return s
}

// OverwrittenFixture is a job whose programs have overwritten their environments, on one of two nodes.
func OverwrittenFixture() *cluster.Snapshot {
	s := Fixture()
	n := s.Nodes["gpu-n02"]
	for i := range n.Processes {
		n.Processes[i].Rank, n.Processes[i].NoRank = nil, wire.NoRankOverwritten
	}
	return s
}
