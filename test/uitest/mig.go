package uitest

import (
	"fmt"
	"slices"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// MigFixture has a GPU in MIG mode with two instances.
func MigFixture() *cluster.Snapshot {
	s := Fixture()
	n := s.Nodes["gpu-n01"]
	for i := range 2 {
		g := n.GPUs[0]
		card, sample, parent := *g.Card, *g.GPU, g.Card.UUID
		g.Card, g.GPU = &card, &sample
		g.Card.Index, g.Index = 20+i, 20+i
		g.Card.Instance = &wire.Instance{Parent: parent, Index: i, GPU: 3 + i}
		g.Key = fmt.Sprint("MIG-", i)
		g.Card.UUID = g.Key
		Lacking(&g, "Not Supported", metric.Util, metric.MemUtil, metric.Power, metric.Temperature, metric.SMClock,
			metric.Throttle, metric.PCIeRX, metric.PCIeTX,
			metric.NVLinkRX, metric.NVLinkTX)
		n.GPUs = slices.Insert(n.GPUs, 1+i, g)
	}
	parent := &n.GPUs[0]
	parent.Card.MIG = true
	Lacking(parent, "Not Supported", metric.Util, metric.MemUtil, metric.SMActive, metric.SMOccupancy,
		metric.TensorActive, metric.DRAMActive)
	return s
}

// TenthFixture has the instances on GPU 10, with a process on the second.
func TenthFixture() *cluster.Snapshot {
	s := MigFixture()
	n := s.Nodes["gpu-n01"]
	for i := range 3 {
		n.GPUs[i].Number = 10
	}
	for i := range n.Processes {
		if p := &n.Processes[i]; p.GPU == n.GPUs[0].Index {
			p.GPU = n.GPUs[2].Index
		}
	}
	return s
}
