package shapes

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// slowFrom wants a note about the CPUs of each node, since the watch began.
func slowFrom(kind cluster.Kind) []Want {
	return []Want{{Kinds: []cluster.Kind{kind}, Node: anywhere, GPU: anywhere, Within: 20 * mins, Least: cluster.Note}}
}

// Jobs that are slow from the start, since their CPUs are full, or since one thread does all.
var underfed = []Shape{
	{Name: "f01 threads for all CPUs",
		About: "each of 8 ranks has as many threads as the node has CPUs, and 16 CPUs in all",
		Does:  at(0.35, alone), Runs: on(same("0-15")).with(func(p *Process, _ time.Duration, _ int) {
			p.CPU, p.Threads = 195, 97
		}), Host: uses(15.8, 0.93), Want: slowFrom(cluster.KindCPUsFull)},
	{Name: "f02 too many loaders", GPUs: 1, About: "32 loaders on 4 CPUs", Does: at(0.5, alone),
		Runs: on(same("4-7")).with(func(p *Process, _ time.Duration, _ int) { p.CPU, p.Threads = 60, 40 }),
		Host: uses(3.95, 0.98), Want: slowFrom(cluster.KindCPUsFull)},
	{Name: "f03 full on one node", Nodes: 2, About: "loaders wait for their CPUs", Does: at(0.6, alone),
		Runs: loaded(101, 30), Host: uses(124, 0.7), Want: slowFrom(cluster.KindCPUsFull)},
	{Name: "f04 no loaders", Steps: true, GPUs: 1, About: "num_workers is 0: one thread loads, trains and saves",
		Does: at(0.3, alone), Runs: loaded(100, 30), Host: uses(1.02, 0.01), Want: slowFrom(cluster.KindOneThread)},
	{Name: "f05 no loaders on 8", Steps: true, About: "8 ranks load their data themselves", Does: at(0.25, alone),
		Runs: loaded(101, 30).named("pt_main_thread"), Host: uses(8.2, 0.02), Want: slowFrom(cluster.KindOneThread)},
	{Name: "f06 bursts", Steps: true, GPUs: 1,
		About: "the GPU works for 40 s, and waits for 80 s while one thread loads",
		Does:  cycle(part{40 * sec, alone}, part{80 * sec, ready}), Runs: loaded(100, 30), Host: uses(1.02, 0.01),
		Want: slowFrom(cluster.KindOneThread)},
}
