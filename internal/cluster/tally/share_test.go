package tally

import (
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// A share of memory is known only if the process's and the whole are.
func TestShares(t *testing.T) {
	total := func(id metric.ID) metric.Values { return metric.Make(map[metric.ID]float64{id: 400}) }
	big := &cluster.Node{Host: wire.Host{Values: total(metric.HostMemoryTotal)}}
	card := &cluster.GPU{GPU: &wire.GPU{}, Card: &wire.Card{Values: total(metric.MemoryTotal)}}
	p := &wire.Process{RSS: new(uint64(100)), GPUMemory: new(uint64(300))}
	type result struct {
		percent float64
		known   bool
	}
	get := func(percent float64, known bool) result { return result{percent, known} }
	for name, test := range map[string]struct{ got, want result }{
		"host":              {get(HostPercent(big, p)), result{25, true}},
		"GPU":               {get(GPUShare(card, p)), result{75, true}},
		"host of no total":  {get(HostPercent(&cluster.Node{}, p)), result{}},
		"GPU of no total":   {get(GPUShare(&cluster.GPU{GPU: &wire.GPU{}}, p)), result{}},
		"host, not of it":   {get(HostPercent(big, &wire.Process{})), result{}},
		"GPU, not of it":    {get(GPUShare(card, &wire.Process{})), result{}},
		"a memory of zero":  {get(GPUShare(card, &wire.Process{GPUMemory: new(uint64(0))})), result{0, true}},
		"a total that is 0": {get(HostPercent(&cluster.Node{Host: wire.Host{Values: metric.Make(map[metric.ID]float64{metric.HostMemoryTotal: 0})}}, p)), result{}},
	} {
		if test.got != test.want {
			t.Errorf("%s: %v, want %v", name, test.got, test.want)
		}
	}
}
