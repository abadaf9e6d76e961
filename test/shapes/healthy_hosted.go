package shapes

import (
	"fmt"
	"time"
)

// Healthy jobs whose processes use CPUs and files unevenly, by design or by chance.
var hosted = []Shape{
	{Name: "h80 rank 0 logs and reads", Nodes: 2, About: "rank 0 reads and writes 20 times as much as the others",
		Does: saves(20*mins, 60*sec, train),
		Runs: bound.but(0, func(p *Process) { p.Read, p.Write = 1200*mega, 400*mega }, 0)},
	{Name: "h81 rank 0 evaluates", About: "rank 0 evaluates for 100 s every 18 min, reads much meanwhile, has few CPUs",
		Does: pauses(every(18*mins, 100*sec), rank0Evaluates, train),
		Runs: bound.but(0, func(p *Process) { p.CPUs, p.CPU, p.Read = "0-1", 190, 900*mega }, 0)},
	{Name: "h82 uneven CPUs by design", Nodes: 2,
		About: "the program gives half of the ranks 30 CPUs, the others 2, which have less to load",
		Does:  wobbling(82, 30*sec, 0.12, train),
		Runs: bound.with(func(p *Process, _ time.Duration, _ int) {
			if p.Local >= 4 {
				p.CPUs, p.CPU, p.Read = fmt.Sprintf("%d-%d", 2*p.Local, 2*p.Local+1), 60, 4*mega
			}
		})},
	{Name: "h83 shared cores", Nodes: 2, About: "all ranks of a node share 2 cores, and so do their loaders",
		Does: wobbling(83, 15*sec, 0.12, mix(train, ready, 0.3)),
		Runs: bound.with(func(p *Process, _ time.Duration, _ int) { p.CPUs, p.CPU = "0-1", 24 })},
	{Name: "h84 one rank on one core", About: "one of 8 ranks is bound to one core, which suffices",
		Does: wobbling(84, 30*sec, 0.12, train),
		Runs: bound.but(0, func(p *Process) { p.CPUs, p.CPU = "7", 99 }, 5)},
	{Name: "h85 warm caches", Nodes: 2, About: "one node has its data in the cache of the program, the other reads it",
		Does: saves(25*mins, 50*sec, wobbling(85, 30*sec, 0.1, train)),
		Runs: bound.with(func(p *Process, at time.Duration, gpu int) {
			if p.Read = 400 * mega; gpu < 8 && at > 10*mins {
				p.Read = 20e3
			}
		})},
	{Name: "h86 uneven pipeline and CPUs", About: "stages with less work have fewer CPUs, the first reads all data",
		Does: saves(30*mins, 50*sec, stages(95, 90, 92, 70, 71, 55, 42, 60)),
		Runs: bound.with(func(p *Process, _ time.Duration, gpu int) {
			if p.Read = 20e3; gpu == 0 {
				p.Read = 700 * mega
			}
			if gpu >= 5 {
				p.CPUs, p.CPU = fmt.Sprint(gpu), 30
			}
		})},
	{Name: "h87 loaders in turns", Nodes: 2, About: "each rank fills its own cache for 5 min, one after the other",
		Does: wobbling(87, 30*sec, 0.12, train),
		Runs: bound.with(func(p *Process, at time.Duration, gpu int) {
			if p.Read = 10 * mega; int(at/(5*mins))%16 == gpu {
				p.Read, p.CPU = 900*mega, 250
			}
		})},
}
