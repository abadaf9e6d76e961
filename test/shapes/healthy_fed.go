package shapes

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// at returns a share of work; for the rest of the time a GPU waits for it.
func at(share float64, work Work) Work { return mix(work, ready, 1-share) }

// loaded is python with 16 CPUs for each rank, that uses this part of a core, in percent, in this many threads.
func loaded(cpu float64, threads int) Processes {
	return on(cores(0, 16)).with(func(p *Process, _ time.Duration, _ int) { p.CPU, p.Threads = cpu, threads })
}

// A job whose GPUs are not used yet, or seldom, is idle.
var idleAtFirst = []cluster.Kind{cluster.KindJobIdle, cluster.KindIdle}

// named returns processes with another name.
func (p Processes) named(name string) Processes {
	return p.with(func(p *Process, _ time.Duration, _ int) { p.Name = name })
}

// Healthy jobs whose CPUs are full for a while or by design, or of whose processes one thread works.
var fed = []Shape{
	{Name: "c01 full CPUs, busy GPUs", About: "loaders use all CPUs and wait for them, and the GPUs never do",
		Does: train, Runs: loaded(101, 90), Host: uses(127, 0.9)},
	{Name: "c02 prepares data", About: "all CPUs prepare data for 40 min, and no GPU works before that",
		Does: from(40*mins, ready, train), Runs: loaded(1500, 400), Age: brandNew,
		Host:    uses(20, 0.02).during(240*mins, 40*mins, uses(126, 0.95)),
		Allowed: idleAtFirst},
	{Name: "c03 molecular dynamics", About: "each rank has 16 threads on 16 CPUs, which work as much as the GPUs",
		Does: at(0.6, alone), Runs: mpirun("gmx_mpi").with(func(p *Process, _ time.Duration, _ int) {
			p.CPUs, p.CPU, p.Threads = cores(0, 16)(p.Local), 1580, 22
		}), Host: uses(126, 0.07)},
	{Name: "c04 compiles", About: "the program is compiled on all CPUs for 8 min, now and then on a GPU", Age: brandNew,
		Does: from(8*mins, at(0.1, alone), train), Runs: loaded(110, 90),
		Host: uses(12, 0.02).during(240*mins, 8*mins, uses(125, 0.9))},
	{Name: "c05 scores", About: "every half hour all CPUs score samples for 7 min, and GPUs generate some meanwhile",
		Does: cycle(part{7 * mins, at(0.3, alone)}, part{23 * mins, alone}), Runs: loaded(101, 90),
		Host: uses(12, 0.02).during(30*mins, 7*mins, uses(127, 0.9))},
	{Name: "c06 CPUs of others", About: "other jobs use the same CPUs: the job waits for them, and does not use them",
		Does: at(0.5, alone), Runs: loaded(40, 90), Host: uses(40, 0.8)},
	{Name: "c07 kernel without PSI", About: "the CPUs are full, and nobody knows who waits", Does: at(0.4, alone),
		Runs: loaded(110, 90), Host: uses(127, 0)},
	{Name: "c08 CPUs unknown", About: "nobody knows on which CPUs the job may run", Does: at(0.4, alone),
		Runs: torchrun.with(func(p *Process, _ time.Duration, _ int) { p.CPU = 100 }), Host: uses(8, 0.9)},
	{Name: "c09 simulations", About: "simulators on all CPUs, and a small network on the GPU", Does: at(0.03, alone),
		Runs: loaded(300, 90), Host: uses(127, 0.95), GPUs: 1, Allowed: idleAtFirst},
	{Name: "o01 usual training", Steps: true, Nodes: 2,
		About: "the main thread of each rank launches kernels all the time",
		Does:  train, Runs: loaded(101, 30), Host: uses(8.1, 0.01)},
	{Name: "o02 loaders at work", Steps: true, About: "loaders for each rank, and a thread that does the rest",
		Does: at(0.45, alone), Runs: loaded(100, 30), Host: uses(40, 0.05)},
	{Name: "o03 MPI polls", Steps: true, About: "ranks of MPI use a core while they wait", Does: at(0.4, alone),
		Runs: mpirun("vasp_std").with(func(p *Process, _ time.Duration, _ int) {
			p.CPUs, p.CPU = cores(0, 16)(p.Local), 100
		}), Host: uses(8, 0.01)},
	{Name: "o04 a server polls", About: "a server of language models polls for requests, which come now and then",
		Does: at(0.3, decode), Runs: loaded(100, 60).named("VLLM::Worker"), GPUs: 1, Host: uses(1, 0.01), Steps: true},
	{Name: "o14 another server polls", About: "the same under the name of python, and no log counts steps",
		Does: at(0.3, decode), Runs: loaded(100, 60), GPUs: 2, Host: uses(2, 0.01)},
	{Name: "o05 two CPUs", Steps: true,
		About: "each process has 2 CPUs, so it can have no more loaders", GPUs: 1, Does: at(0.4, alone),
		Runs: torchrun.with(func(p *Process, _ time.Duration, _ int) { p.CPUs, p.CPU = "0-1", 100 }), Host: uses(1, 0)},
	{Name: "o06 cgroups of version 1", Steps: true,
		About: "nobody knows how many CPUs the job uses", GPUs: 1, Does: at(0.4, alone),
		Runs: loaded(100, 30)},
	{Name: "o07 threads of its own", Steps: true,
		About: "the process prepares data in two threads", GPUs: 1, Does: at(0.4, alone),
		Runs: loaded(165, 30), Host: uses(1.65, 0.02)},
	{Name: "o08 post-processing", Steps: true,
		About: "one thread works on results for an hour, and no GPU is needed", GPUs: 1,
		Does: cycle(part{60 * mins, alone}, part{60 * mins, ready}), Runs: loaded(100, 30), Host: uses(1, 0),
		Allowed: idleAtFirst},
	{Name: "o09 evaluates on one thread", Steps: true,
		About: "every half hour one thread scores for 6 min, with a little help of the GPU",
		GPUs:  1, Does: cycle(part{6 * mins, at(0.2, alone)}, part{24 * mins, alone}), Runs: loaded(100, 30),
		Host: uses(1, 0)},
	{Name: "o10 sleeps for its storage", Steps: true,
		About: "the process waits for files, and sleeps meanwhile", GPUs: 1,
		Does: at(0.4, alone), Runs: loaded(55, 30), Host: uses(0.55, 0)},
	{Name: "o11 other programs", Steps: true,
		About: "one thread feeds the GPU, and other programs of the job use 4 CPUs",
		GPUs:  1, Does: at(0.4, alone), Runs: loaded(100, 30), Host: uses(5, 0)},
	{Name: "o12 as many CPUs as ranks", Steps: true,
		About: "the main threads of 8 ranks share 8 CPUs", Does: at(0.4, alone),
		Runs: on(same("0-7")).with(func(p *Process, _ time.Duration, _ int) { p.CPU = 99 }), Host: uses(7.9, 0.1)},
	{Name: "o13 almost busy", Steps: true, About: "a small network: kernels are launched one after the other", GPUs: 1,
		Does: at(0.8, alone), Runs: loaded(101, 30), Host: uses(1, 0)},
}
