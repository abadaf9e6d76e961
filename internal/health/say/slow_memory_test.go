package say

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// The memory of a GPU is called slow only if its clock is lower than that of the others, and not beside other programs.
func TestWhyMemoryIsBusy(t *testing.T) {
	gpu := func(key string, index int, clock float64) cluster.GPU {
		g := cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{Index: index, Name: "x"}, Key: key}
		if clock > 0 {
			g.Values = metric.Make(map[metric.ID]float64{metric.MemClock: clock})
		}
		return g
	}
	for name, tc := range map[string]struct {
		own, others float64
		processes   int
		want        string
	}{
		"equal clocks":   {2619, 2619, 1, "is that of the others (2619 MHz)"},
		"a lower clock":  {1313, 2619, 1, "its memory clock is low (1313 MHz, others 2619)"},
		"another tenant": {1313, 2619, 2, "2 processes are on this GPU"},
		"unknown":        {0, 2619, 0, "compare its memory clock"},
		"others unknown": {2619, 0, 0, "compare its memory clock"},
	} {
		n := &cluster.Node{GPUs: []cluster.GPU{gpu("a", 0, tc.own), gpu("b", 1, tc.others)}}
		for range tc.processes {
			n.Processes = append(n.Processes, wire.Process{GPU: 0, Type: "C"})
		}
		n.Processes = append(n.Processes, wire.Process{GPU: 1, Type: "C"}, wire.Process{GPU: 0, Type: "G"})
		e := nothing
		e.node, e.gpu, e.nodes = n, &n.GPUs[0], map[string]*cluster.Node{"n": n}
		e.job = &cluster.Job{Nodes: []string{"n"}}
		if got := e.whyMemoryIsBusy(); !strings.Contains(got, tc.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
