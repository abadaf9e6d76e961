package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/node"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// migFixture has a GPU in MIG mode with two instances.
func migFixture() *cluster.Snapshot {
	s := fixture()
	n := s.Nodes["gpu-n01"]
	for i := range 2 {
		g := n.GPUs[0]
		card, sample, parent := *g.Card, *g.GPU, g.Card.UUID
		g.Card, g.GPU = &card, &sample
		g.Card.Index, g.Index = 20+i, 20+i
		g.Card.Instance = &wire.Instance{Parent: parent, Index: i, GPU: 3 + i}
		g.Key = fmt.Sprint("MIG-", i)
		g.Card.UUID = g.Key
		lacking(&g, "Not Supported", metric.Util, metric.MemUtil, metric.Power, metric.Temperature, metric.SMClock,
			metric.Throttle, metric.PCIeRX, metric.PCIeTX,
			metric.NVLinkRX, metric.NVLinkTX)
		n.GPUs = slices.Insert(n.GPUs, 1+i, g)
	}
	parent := &n.GPUs[0]
	parent.Card.MIG = true
	lacking(parent, "Not Supported", metric.Util, metric.MemUtil, metric.SMActive, metric.SMOccupancy,
		metric.TensorActive, metric.DRAMActive)
	return s
}

// tenthFixture has the instances on GPU 10, with a process on the second.
func tenthFixture() *cluster.Snapshot {
	s := migFixture()
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

// The number of an instance of a two-digit GPU is whole in each table.
func TestNumbersOfInstances(t *testing.T) {
	for _, w := range []int{60, 80, 120, 200} {
		for typed, want := range map[string]int{"": 3, "m": 1} {
			view := func(v *view) { v.chooseNode("gpu-n01", 0); v.node().Processes = node.ShowOn }
			d := newDesk(t, shot{snap: tenthFixture, view: view, typed: typed}, w, 50)
			text := strings.Join(d.lines(), "\n")
			if got := strings.Count(text, "10:0 ") + strings.Count(text, "10:1 "); got < want {
				t.Errorf("%q in %d columns shows %d numbers of instances, want %d:\n%s", typed, w, got, want, text)
			}
		}
	}
}
