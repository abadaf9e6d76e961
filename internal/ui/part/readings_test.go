package part

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// What cells know of GPUs is what the last report says, however many Snapshots it is old, by each gauge.
func TestReadingsAreOfTheLastReport(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	report := func() *cluster.Node {
		n := &cluster.Node{GPUs: make([]cluster.GPU, r.IntN(4))}
		for i := range n.GPUs {
			n.GPUs[i] = cluster.GPU{Number: r.IntN(9), Card: &wire.Card{}, GPU: &wire.GPU{Values: metric.Make(
				map[metric.ID]float64{metric.Util: float64(r.IntN(101)), metric.Temperature: float64(r.IntN(101))})}}
			if r.IntN(4) == 0 {
				n.GPUs[i].Lost = "lost"
			}
		}
		return n
	}
	nodes := []*cluster.Node{report(), report(), report(), report()}
	s := &Scene{Memory: &Memory{}}
	for round := range 500 {
		s.Snap = &cluster.Snapshot{}
		nodes[r.IntN(len(nodes))] = report()
		if round%40 < 15 {
			continue // another page is on the screen
		}
		for _, s.Gauge = range []tally.Gauge{tally.GaugeUtil, tally.GaugeTemperature} {
			for range nodes {
				if n := nodes[r.IntN(len(nodes))]; !slices.Equal(s.nodeReadings(n), readGPUs(s, n)) {
					t.Fatalf("round %d: %v, not %v", round, s.nodeReadings(n), readGPUs(s, n))
				}
			}
		}
	}
	first := nodes[0]
	for len(first.GPUs) == 0 {
		first = report()
	}
	if had := s.nodeReadings(first); &s.nodeReadings(first)[0] != &had[0] {
		t.Error("they are read twice")
	}
}
