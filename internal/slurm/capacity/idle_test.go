package capacity

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// gpu is a GPU with a past: utilizations, the newest last; negative is a gap.
func gpu(number int, past ...float64) cluster.GPU {
	g := cluster.GPU{GPU: &wire.GPU{}, Number: number, Key: fmt.Sprint(number), Card: &wire.Card{}}
	for i, util := range past {
		if util >= 0 {
			g.History.Add(int64(100+i), 200, func(metric.ID) float64 { return util })
			g.Values = metric.Make(map[metric.ID]float64{metric.Util: util})
		}
	}
	return g
}

// Only GPUs that SLURM has given to jobs count, that have been idle for a minute, and only those of nodes that report.
// A gap ends what is known.
func TestIdle(t *testing.T) {
	four := func(used int) []notation.GPUType { return []notation.GPUType{{Total: 5, Used: used, Known: true}} }
	c := Of(&Supply{Nodes: []SuppliedGPUs{
		{Name: "n1", Types: four(4), InUse: []int{0, 1, 2, 3}}, {Name: "n2", Types: four(4), InUse: []int{0, 1, 2, 3}},
		{Name: "n3", Types: four(2)}, {Name: "n4", Types: four(1), InUse: []int{0}},
	}}, time.Time{})
	s := &cluster.Snapshot{Poll: 20 * time.Second, Nodes: map[string]*cluster.Node{
		"n1": {State: cluster.NodeReporting, GPUs: []cluster.GPU{gpu(0, 90, 1, 0, 1), gpu(1, 0, 0, 0, 0), gpu(2, 0, 0, 99),
			gpu(3, 0, -1, 0, 0, 0), gpu(4, 0, 0, 0)}},
		"n2": {State: cluster.NodeStale, GPUs: []cluster.GPU{gpu(0, 0, 0)}},
		"n3": {State: cluster.NodeReporting, GPUs: []cluster.GPU{gpu(0, 0, 0)}},
	}}
	if s.Bin() != 20*time.Second {
		t.Fatalf("a sample stands for %v", s.Bin())
	}
	l := IdleOf(s, c)
	var got []string
	for _, g := range l.GPUs {
		got = append(got, fmt.Sprint(g.Node.Name, " ", g.Number, " ", int(g.For/s.Bin()), " ", g.AtLeast))
	}
	if want := "n1 1 4 true, n1 0 3 false, n1 3 3 true"; strings.Join(got, ", ") != want || l.Read != 4 || l.All != 11 {
		t.Errorf("%d of %d are read; idle %q, want %q", l.Read, l.All, strings.Join(got, ", "), want)
	}
	n1 := s.Nodes["n1"]
	n1.GPUs[0], n1.GPUs[1], n1.GPUs[3] = gpu(0, 90, 0, 0), gpu(1, 0, 0), gpu(3, 0, 0, 0, -1, 0)
	if l := IdleOf(s, c); len(l.GPUs) != 0 || l.Read != 4 {
		t.Errorf("idle for less than %v: %+v", leastIdle, l)
	}
}
