package shapes

import (
	"fmt"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// sockets are the NUMA nodes of a node, and the one that is nearest to each GPU.
type sockets struct {
	nodes []wire.NUMANode
	near  func(gpu int) int
}

var (
	// dual has two sockets with 48 cores and hyper-threads, and 4 GPUs each.
	dual = &sockets{[]wire.NUMANode{{ID: 0, CPUs: "0-47,96-143", Socket: 0}, {ID: 1, CPUs: "48-95,144-191", Socket: 1}},
		func(gpu int) int { return gpu / 4 }}
	// quarters has the same sockets, each as 4 NUMA nodes without hyper-threads. One GPU is near each.
	quarters = &sockets{quarter(8, 12, 4), func(gpu int) int { return gpu }}
	// grace has a socket for each GPU, and the memory of the GPUs as NUMA nodes without CPUs, which are not listed.
	grace = &sockets{quarter(4, 72, 1), func(gpu int) int { return gpu }}
	// devices has GPUs that are near NUMA nodes without CPUs.
	devices = &sockets{dual.nodes, func(gpu int) int { return 2 + gpu }}
)

// quarter returns NUMA nodes with as many cores each, several in a socket.
func quarter(count, cores, each int) (nodes []wire.NUMANode) {
	for i := range count {
		nodes = append(nodes, wire.NUMANode{ID: i, CPUs: fmt.Sprintf("%d-%d", i*cores, i*cores+cores-1), Socket: i / each})
	}
	return nodes
}

// on is torchrun with CPUs for each local rank.
func on(cpus func(local int) string) Processes {
	return torchrun.with(func(p *Process, _ time.Duration, _ int) {
		p.CPUs, p.Read, p.Write = cpus(p.Local), 60*mega, 20e3
	})
}

// cores returns CPUs from a first one on, so many for each rank.
func cores(first, each int) func(int) string {
	return func(local int) string { return fmt.Sprintf("%d-%d", first+local*each, first+local*each+each-1) }
}

// same returns the same CPUs for each rank.
func same(cpus string) func(int) string { return func(int) string { return cpus } }

// Healthy jobs on nodes with several NUMA nodes, whose ranks may run on some of the CPUs.
var bindings = []Shape{
	{Name: "n01 whole node", NUMA: dual, About: "each rank may run on all CPUs", Does: train, Runs: on(same("0-191"))},
	{Name: "n02 near cores", Nodes: 2, NUMA: dual, About: "12 cores for each rank, near its GPU", Does: train,
		Runs: on(cores(0, 12))},
	{Name: "n03 near hyper-threads", NUMA: dual, About: "12 cores with their second threads, near the GPU", Does: train,
		Runs: on(func(k int) string {
			return fmt.Sprintf("%d-%d,%d-%d", 12*k, 12*k+11, 96+12*k, 96+12*k+11)
		})},
	{Name: "n04 only second threads", NUMA: dual, About: "the second threads of near cores", Does: train,
		Runs: on(cores(96, 12))},
	{Name: "n05 wider than the socket", NUMA: dual, About: "most CPUs are far, and some are near", Does: train,
		Runs: on(same("40-95"))},
	{Name: "n06 core of a neighbor", NUMA: dual, About: "ranks have the cores of the next rank of their socket",
		Does: train, Runs: on(func(k int) string { return cores(0, 12)(k/4*4 + (k+1)%4) })},
	{Name: "n07 next quarter", NUMA: quarters, About: "the cores are in another NUMA node of the same socket", Does: train,
		Runs: on(func(k int) string { return cores(0, 12)(k/4*4 + (k+2)%4) })},
	{Name: "n08 own quarter", NUMA: quarters, About: "the cores are those of the nearest NUMA node", Does: train,
		Runs: on(cores(0, 12))},
	{Name: "n09 superchips", Nodes: 2, GPUs: 4, NUMA: grace, About: "a rank on each superchip, on its own cores",
		Does: train, Runs: on(cores(0, 72))},
	{Name: "n10 near memory without CPUs", NUMA: devices, About: "no CPUs are near the GPUs", Does: train,
		Runs: on(cores(48, 6))},
	{Name: "n11 one process", NUMA: dual, About: "one process has all 8 GPUs, and the cores of a socket", Does: train,
		Runs: oneForAll("python").with(func(p *Process, _ time.Duration, _ int) { p.CPUs = "0-47" })},
	{Name: "n12 no ranks", NUMA: dual, About: "programs that know nothing of each other, on far cores", Does: alone,
		Runs: programs("python").with(func(p *Process, _ time.Duration, _ int) { p.CPUs = "0-47" })},
	{Name: "n13 MIG", NUMA: dual, On: migs, About: "instances of GPUs", Does: train, Runs: on(same("0-11"))},
	{Name: "n14 two on a socket", GPUs: 2, NUMA: dual, About: "a job of 2 GPUs with half of the cores of their socket",
		Does: train, Runs: on(same("24-47,120-143"))},
	{Name: "n15 not known", NUMA: dual, About: "nobody knows on which CPUs the ranks may run", Does: train},
	{Name: "n16 not a list", NUMA: dual, About: "the list of CPUs is not understood", Does: train,
		Runs: on(same("0-47:2"))},
	{Name: "n17 far and waiting", NUMA: dual, About: "ranks 4 to 7 start on far cores, and bind themselves near in time",
		Does: train, Runs: on(same("0-47")).with(func(p *Process, at time.Duration, _ int) {
			if p.Local >= 4 && at > 40*sec {
				p.CPUs = cores(0, 12)(p.Local)
			}
		})},
	{Name: "n18 one socket", About: "the node has one NUMA node", Does: train, Runs: on(cores(48, 2))},
	{Name: "n19 loaders asleep", NUMA: dual, About: "near cores; the threads of the data loaders sleep most of the time",
		Does: saves(20*mins, 50*sec, train), Runs: on(cores(0, 12)).cpu(0, 14, 0, 1, 2, 3, 4, 5, 6, 7)},
}
