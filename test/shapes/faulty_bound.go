package shapes

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// farOn wants a note about ranks of a node on far CPUs, since the watch began.
func farOn(node int) Want {
	return Want{Kinds: []cluster.Kind{cluster.KindFarCPUs}, Node: node, GPU: anywhere, Within: 4 * time.Minute,
		Least: cluster.Note}
}

// Jobs whose ranks may not run near their GPUs.
var farBound = []Shape{
	{Name: "f01 all on one socket", NUMA: dual, About: "all ranks have the cores of socket 0", Does: always(train),
		Runs: on(same("0-47,96-143")), Want: []Want{farOn(0)}},
	{Name: "f02 the wrong way round", Nodes: 2, NUMA: dual, About: "rank 0 has the last GPU's cores, and so on",
		Does: always(train), Runs: on(func(k int) string { return cores(0, 12)(7 - k) }), Want: []Want{farOn(0), farOn(1)}},
	{Name: "f03 one rank", NUMA: dual, About: "one rank has a core of the other socket", Does: always(train),
		Runs: on(cores(0, 12)).but(0, func(p *Process) { p.CPUs = "3" }, 5), Want: []Want{farOn(0)}},
	{Name: "f04 quarters", NUMA: quarters, About: "ranks have cores of the other socket's quarters", Does: always(train),
		Runs: on(func(k int) string { return cores(0, 12)((k + 4) % 8) }), Want: []Want{farOn(0)}},
	{Name: "f05 superchips", GPUs: 4, NUMA: grace, About: "ranks have the cores of the next superchip",
		Does: always(train), Runs: on(func(k int) string { return cores(0, 72)((k + 1) % 4) }), Want: []Want{farOn(0)}},
	{Name: "f06 tasks of srun", NUMA: dual, About: "independent tasks of srun, all on socket 0", Does: always(alone),
		Runs: srun("a.out").with(func(p *Process, _ time.Duration, _ int) { p.CPUs = "0-47" }), Want: []Want{farOn(0)}},
}
