package health

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/signs"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/cost"
)

// BenchmarkRules1000x8 asks all rules about 1,000 healthy nodes with 8 GPUs each and all metrics. Rules run with each
// report; a third of the reports comes between two Snapshots, since nodes report every 3 s and the screen shows a
// Snapshot each second. The result is CPU time, so other work on the machine does not count.
func BenchmarkRules1000x8(b *testing.B) {
	card, sample := m{metric.PCIeGenMax: 5, metric.PCIeWidthMax: 16, metric.MemoryTotal: 80 * signs.GiB,
		metric.NVLinks: 18},
		m{metric.Util: 97, metric.PCIeGen: 5, metric.PCIeWidth: 16, metric.NVLinkUp: 0x3FFFF, metric.PersistenceMode: 1}
	for id := range metric.All(metric.GPU) {
		if row := id.Row(); row.Pace != metric.Once && sample[id] == 0 {
			sample[id] = 0
		}
	}
	host := m{metric.TmpFree: 100 * signs.GiB, metric.TmpTotal: 400 * signs.GiB, metric.DiskFree: 100 * signs.GiB,
		metric.DiskTotal: 400 * signs.GiB}
	holds := Rules(Defaults())
	nodes := make([]*cluster.Node, 1000)
	for i := range nodes {
		n := &cluster.Node{Name: "n", State: cluster.NodeReporting, Hello: &wire.Hello{Driver: "550"},
			Interval: 3 * time.Second, Host: wire.Host{Values: metric.Make(host)}}
		for i := range 8 {
			n.GPUs = append(n.GPUs, cluster.GPU{Number: i, GPU: &wire.GPU{Values: metric.Make(sample)},
				Card: &wire.Card{Name: "H100", Values: metric.Make(card)}})
		}
		nodes[i] = n
	}
	job := &cluster.Job{ID: "1", Number: "1", Nodes: []string{"n"},
		Minors: map[string][]int{"n": {0, 1, 2, 3, 4, 5, 6, 7}}}
	common := &cluster.Common{Driver: "550", Model: "H100", Clocks: 3}
	began := cost.CPU(b)
	for b.Loop() {
		for _, n := range nodes {
			held := holds(cluster.Subject{Scope: cluster.ScopeReach, Node: n})
			held = append(held, holds(cluster.Subject{Scope: cluster.ScopeReport, Node: n})...)
			held = append(held, holds(cluster.Subject{Scope: cluster.ScopeJob, Node: n, Job: job, Common: common})...)
			for i := range n.GPUs {
				held = append(held, holds(cluster.Subject{Scope: cluster.ScopeGPU, Node: n, GPU: &n.GPUs[i]})...)
			}
			if len(held) > 0 {
				b.Fatalf("%+v", held)
			}
		}
	}
	ms := float64((cost.CPU(b) - began).Microseconds()) / 1000 / float64(b.N)
	b.ReportMetric(ms, "ms/reports")
	b.ReportMetric(ms/3, "ms/snapshot")
}
