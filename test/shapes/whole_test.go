package shapes

import (
	"math"
	"time"
)

// longer are words about a job that is slower than before: wrong where the program does other work.
var longer = []string{"Steps take"}

// offloads computes with its weights or its optimizer in host memory: as much goes out as comes in.
func offloads(rate float64, usual Work) Work {
	return usual.with(func(w *Work) { w.NVLink, w.TX, w.RX = 0, rate*giga, rate*giga })
}

// doing is a program that does a share of its usual work, of everything.
func doing(share float64, usual Work) Work { return mix(ready.using(usual.Used), usual, share) }

// Healthy jobs that move much over PCIe, or do other work after a while.
var whole = []Shape{
	{Name: "v01 MPI through the host", Runs: mpirun("solver"),
		About: "an MPI code without GPU-aware MPI: halos go through the host, NVLink carries nothing",
		Does:  offloads(3, train.with(func(w *Work) { w.Util, w.Power, w.Memory, w.Net = 86, 380, 62, 0 }))},
	{Name: "v02 overlapped halos", Runs: mpirun("lmp"), About: "the same; a memory-bound code hides its exchange",
		Does: offloads(5, train.with(func(w *Work) { w.Util, w.Power, w.Memory, w.Net = 99, 410, 84, 0 }))},
	{Name: "v03 offload by torchrun", About: "ranks with their optimizer in host memory, 12 GB/s each way, in waves",
		Does: averaged(sec, cycle(part{6 * sec, offloads(4, train)},
			part{5 * sec, offloads(18, ready.with(func(w *Work) { w.Util, w.Memory = 8, 6 }))}))},
	{Name: "v04 hidden offload", About: "ranks compute at 560 W while 14 GB/s go to the host and come back",
		Does: offloads(14, train.drawing(560))},
	{Name: "v05 swapped caches", Nodes: 2, Runs: programs("VLLM::Worker"),
		About: "a node learns over NVLink; 8 generators of the other swap caches over PCIe, each for itself",
		Does: split(8, train, wobbling(5, 20*sec, 0.1, offloads(4,
			decode.with(func(w *Work) { w.Util, w.Net = 96, giga }))))},
	{Name: "v06 trials after training", About: "after 40 min the job runs trials with weights in host memory",
		Does: from(40*mins, train, own(pauses(bursts(9*mins, 40*sec), ready, offloads(10, streaming)))),
		Runs: programs("python")},
	{Name: "v07 little over NVLink", About: "a pipeline of 8 stages: 40 MB/s over NVLink, images over PCIe",
		Does: train.with(func(w *Work) { w.NVLink, w.TX, w.RX, w.Net = 40*mega, 2*giga, 2.4*giga, 0 })},
	{Name: "v08 inference that stops", Runs: programs("VLLM::Worker"), Allowed: kinds("job_idle"),
		About: "tensor-parallel inference ends after 50 min, and the model goes to the host",
		Does: sequence(part{50 * mins, decode.busy(97)}, part{20 * sec, ready.with(func(w *Work) { w.TX = 20 * giga })},
			part{0, ready.using(4)})},
	{Name: "v09 sleeping model", About: "every 6 min the server moves its weights to the host, and trains meanwhile",
		Does: cycle(part{4 * mins, decode}, part{8 * sec, offloads(18, ready)}, part{2 * mins, train},
			part{8 * sec, offloads(18, ready)})},
	{Name: "v10 shards by torchrun", About: "8 ranks over shards without any exchange, 6 GB/s of results each way",
		Does: offloads(6, alone.drawing(560))},

	{Name: "v20 longer sequences", Nodes: 2, Wrong: longer, About: "after 40 min sequences are twice as long",
		Does: from(40*mins, train, train.with(func(w *Work) {
			w.Power, w.NVLink, w.Net, w.TX, w.RX = 590, 30*giga, 4.6*giga, 40*mega, 170*mega
		}))},
	{Name: "v21 more accumulation", Nodes: 2, Wrong: longer, About: "after 40 min gradients are exchanged half as often",
		Does: from(40*mins, train, train.with(func(w *Work) { w.NVLink, w.Net = 26*giga, 4*giga }))},
	{Name: "v22 restart with other data", Nodes: 2, Wrong: longer, Restarts: during(span{50 * mins, 50*mins + 20*sec}),
		About: "a restart after 50 min; the new run waits for its loaders, as it always will",
		Does: pauses(during(span{50 * mins, 52 * mins}), sequence(part{30 * sec, resting}, part{0, loading}),
			from(51*mins, train, doing(0.7, train)))},
	{Name: "v23 night", Nodes: 2, Wrong: longer, Runs: programs("VLLM::Worker"),
		About: "a server on 16 GPUs: after 45 min it has half of the requests",
		Does:  from(45*mins, wobbling(23, 10*sec, 0.05, decode), wobbling(23, 10*sec, 0.05, doing(0.5, decode)))},
	{Name: "v24 night of ray workers", Nodes: 2, Wrong: longer, Runs: srunByNode,
		About: "the same by srun: one task for each node, whose workers inherit its number",
		Does:  from(45*mins, wobbling(24, 10*sec, 0.05, decode), wobbling(24, 10*sec, 0.05, doing(0.5, decode)))},
	{Name: "v25 day", Wrong: longer, Runs: programs("VLLM::Worker"), About: "requests rise and fall within 100 minutes",
		Does: does(func(at time.Duration, _ int) Work {
			return doing(0.6+0.4*math.Cos(2*math.Pi*at.Hours()*0.6), decode.busy(97))
		})},
	{Name: "v26 longer answers", Nodes: 2, Wrong: longer, Runs: srun("python"),
		About: "reinforcement learning: answers get longer, and generation takes 50 s of a minute in place of 25",
		Does: from(45*mins, cycle(part{25 * sec, decode}, part{25 * sec, train}),
			cycle(part{50 * sec, decode}, part{25 * sec, train}))},
	{Name: "v27 smaller model", Nodes: 2, Wrong: longer, About: "after 40 min a smaller model is distilled, alike on all",
		Does: from(40*mins, train, train.light(400).with(func(w *Work) { w.NVLink, w.Net, w.Used = 22*giga, 3*giga, 44 }))},
	{Name: "v28 test at the end", Nodes: 2, Wrong: longer, About: "for the last 40 min the model is tested at 430 W",
		Does: from(80*mins, train, train.light(430).with(func(w *Work) { w.NVLink, w.Net = 4*giga, 0.2*giga }))},
	{Name: "v29 matrix shrinks", Nodes: 2, Wrong: longer, Runs: mpirun("xhpl"),
		About: "Linpack: the matrix shrinks, and with it power and traffic, over 2 hours",
		Does: does(func(at time.Duration, _ int) Work {
			left := 1 - at.Hours()/2.2
			return mix(spin, train, 0.35+0.65*left).with(func(w *Work) { w.NVLink, w.Net = 50*giga*left, 8*giga*left })
		})},
	{Name: "v30 warm-up", Nodes: 2, Wrong: longer, About: "the batch ramps up: in 40 min from 350 to 610 W, in 8 steps",
		Does: does(func(at time.Duration, _ int) Work {
			return train.light(350 + 260*min(1, float64(at/(5*mins))/8)).with(func(w *Work) {
				w.NVLink, w.Net = 80*giga-30*giga*min(1, float64(at/(5*mins))/8), 8*giga
			})
		})},
	{Name: "v31 frames", GPUs: 1, Wrong: longer, Runs: programs("blender"),
		About: "one GPU renders: after 45 min frames are simple, and its CPU sets the pace",
		Does:  from(45*mins, alone, doing(0.6, alone))},
	{Name: "v32 long evaluations", Nodes: 2, Wrong: longer, About: "all evaluate for 8 min every 30, at 75% utilization",
		Does: pauses(every(30*mins, 8*mins), doing(0.75, train.with(func(w *Work) { w.NVLink, w.Net = giga, mega })),
			train)},

	{Name: "v33 rank 0 alone, often", Nodes: 2, About: "rank 0 evaluates for 15 s every 3 min, the others spin",
		Does: cycle(part{165 * sec, train}, part{15 * sec, rank0Evaluates})},
	{Name: "v34 rank 0 saves, often", Nodes: 2, About: "rank 0 saves for 12 s every 90 s, the others spin",
		Does: cycle(part{78 * sec, train}, part{12 * sec, only(saving, spin, 0)})},
	{Name: "v35 in turns", Nodes: 2, Wrong: []string{" of each "}, Allowed: kinds("lag"),
		About: "ranks refill their caches for 20 s each minute, one after the other",
		Does: inAll(func(at time.Duration, g int) cost {
			if at%mins < 20*sec && int(at/mins)%16 == g {
				return cost{3, host}
			}
			return cost{1, host}
		})},
	{Name: "v36 logs of rank 0", About: "rank 0 is 12% behind for 10 s of each 40, as it draws pictures",
		Does: inAll(func(at time.Duration, g int) cost {
			if at%(40*sec) < 10*sec && g == 0 {
				return cost{1.12, host}
			}
			return cost{1, host}
		})},

	{Name: "v40 growing cache", About: "a caching allocator keeps more for longer batches: in steps up to 77 GiB",
		Does: does(func(at time.Duration, g int) Work {
			return train.using(46 + 31*math.Sqrt(math.Floor(10*min(at.Hours(), 1)+unit(40, uint64(g)))/11))
		})},
	{Name: "v41 plateau", GPUs: 4, Runs: programs("VLLM::Worker"),
		About: "the cache of a server fills within 25 min, and stays at 92%",
		Does: does(func(at time.Duration, _ int) Work {
			return decode.using(40 + 33.6*min(1, float64(at)/float64(25*mins)))
		})},
	{Name: "v42 epochs", About: "memory grows within epochs of 34 min by 14 GiB, and is freed",
		Does: does(func(at time.Duration, _ int) Work {
			return train.using(62 + 14*float64(at%(34*mins))/float64(34*mins))
		})},
	{Name: "v43 replays", GPUs: 2, About: "a buffer of replays on the GPU fills for 70 min, up to 88%",
		Does: does(func(at time.Duration, _ int) Work {
			return train.using(42 + 28.4*min(1, float64(at)/float64(70*mins)))
		})},
	{Name: "v44 reserved", About: "a program that reserves 99% of the memory as it starts", Age: brandNew,
		Does: from(60*sec, loading, train.using(79.3)), Runs: launched("RANK", "python", 20*sec)},
}

// srunByNode is one task of srun for each node: all processes on its GPUs have its number.
var srunByNode Processes = func(r *rig, at time.Duration, gpu int) []Process {
	list := srun("ray::RayWorker")(r, at, gpu)
	list[0].Rank, list[0].World, list[0].Local = gpu/r.GPUs, r.Nodes, 0
	return list
}
