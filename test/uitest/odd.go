package uitest

import (
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// OddFixture has names that no SLURM administrator should allow.
func OddFixture() *cluster.Snapshot {
	s := Fixture()
	job := &s.Jobs[0]
	job.Name, job.User = "模型-训练-👩‍👩‍👧-e\u0301te\u0301-of-a-very-long-name", "alice👍🏽"
	long := strings.Repeat("gpu-rack", 12) + "模型01"
	for i, name := range job.Nodes {
		odd := long + string(rune('a'+i))
		s.Nodes[odd] = s.Nodes[name]
		s.Nodes[odd].Name = odd
		job.Nodes[i] = odd
		for k := range job.Findings {
			if job.Findings[k].Node == name {
				job.Findings[k].Node = odd
			}
		}
	}
	n := s.Nodes[job.Nodes[0]]
	n.GPUs[0].Card.Name = "NVIDIA 模型模型模型模型模型模型"
	for i := range n.Processes {
		n.Processes[i].User, n.Processes[i].Command = "训练训练训练", strings.Repeat("模型 ", 200)
	}
	return s
}

// WideFixture is a node with 16 GPUs.
func WideFixture() *cluster.Snapshot {
	s := Fixture()
	n := s.Nodes["gpu-n01"]
	for i := range 8 {
		g := n.GPUs[i]
		sample := *g.GPU
		g.GPU = &sample
		g.Number, g.Index, g.Card.Index = 8+g.Number, 8+g.Index, 8+g.Index
		n.GPUs = append(n.GPUs, g)
	}
	return s
}

// BareFixture is a node whose driver reports nothing.
func BareFixture() *cluster.Snapshot {
	s := Fixture()
	n := s.Nodes["gpu-n01"]
	n.Host, n.Hello = wire.Host{}, nil
	for i := range n.GPUs {
		Forget(&n.GPUs[i], "")
		SetUtil(&n.GPUs[i], nil)
	}
	n.Processes = []wire.Process{{PID: 1}}
	return s
}
