package shapes

import "time"

// Jobs with one phase after the other, or with different work on different GPUs.
var phased = []Shape{
	{Name: "h11 RL phases", About: "all generate for 2 min, then all train for 90 s, with 20 s of rewards on the CPU",
		Does: cycle(part{2 * mins, generation}, part{20 * sec, ready}, part{90 * sec, train})},
	{Name: "n20 GRPO", About: "4 GPUs generate with vLLM, 4 train; each waits for the other in turn",
		Does: only(cycle(part{70 * sec, generation}, part{45 * sec, ready}),
			cycle(part{75 * sec, ready}, part{40 * sec, train}), gpus(0, 4)...), Runs: programs("python")},
	{Name: "n21 GAN", About: "generator and discriminator alternate, each 8 s, with unequal power",
		Does: cycle(part{8 * sec, train},
			part{8 * sec, train.with(func(w *Work) { w.Power, w.Memory, w.NVLink = 380, 30, 20*giga })})},
	{Name: "n22 JAX compiles", Nodes: 2, About: "XLA compiles for 40 to 70 s now and then: GPUs at 0%",
		Does: pauses(every(17*mins, 55*sec), ready, train), Runs: srun("python")},
	{Name: "n23 torch.compile", About: "new shapes are compiled: one rank for 30 to 50 s, the others spin",
		Does: pauses(every(9*mins, 40*sec), only(ready, spin, 3), train)},
	{Name: "n24 generation and filter", About: "7 GPUs generate data, the last filters it now and then",
		Does: only(pauses(bursts(40*sec, 90*sec), alone.light(300), ready), generation, 7), Runs: programs("python")},
	{Name: "n25 FSDP with offload", Nodes: 2, About: "parameters in host memory, steps of 11 s, 2 nodes",
		Does: averaged(sec, cycle(part{8 * sec, train},
			part{3 * sec, Work{Util: 9, Memory: 4, Power: 170, Clock: 1980, TX: 15 * giga, RX: 15 * giga, Used: 40}}))},
	{Name: "n26 slow writers", Nodes: 2,
		About: "checkpoints every 30 min: all copy, some write for 100 s, stragglers for 230 s, the others spin",
		Does: pauses(every(30*mins, 235*sec), sequence(part{15 * sec, saving}, part{85 * sec, writing},
			part{130 * sec, only(writing, spin, 3, 9)}, part{0, spin}), train)},
	{Name: "n27 profiler", About: "rank 0 records a profile: for 3 min it is 8% slower, the others wait as much",
		Does: pauses(every(30*mins, 3*mins), only(mix(train, ready, 0.08), waits(0.08), 0), train)},
	{Name: "n28 growing start", Nodes: 64, Age: brandNew, Length: 30 * mins,
		Runs: func(r *rig, at time.Duration, gpu int) []Process {
			if at < growing(gpu) {
				return nil
			}
			return launched("RANK", "python", growing(gpu))(r, at, gpu)
		}, About: "64 nodes start over 6 min; those that are there spin",
		Does: does(func(at time.Duration, gpu int) Work {
			switch begins := growing(gpu); {
			case at < begins:
				return resting
			case at < begins+15*sec:
				return loading
			case at < 390*sec:
				return spin
			}
			return train
		})},
	{Name: "n29 preempted", Nodes: 2, About: "requeued after an hour, starts again 3 min later with a start of 2 min",
		Restarts: during(span{60*mins - 10*sec, 63*mins + 25*sec}),
		Does:     sequence(part{60*mins - 10*sec, train}, part{190 * sec, resting}, part{0, starting(2*mins, train)}),
		Slurm: func(at time.Duration) slurmWord {
			if at < 63*mins {
				return slurmWord{queued: at >= 60*mins}
			}
			return slurmWord{start: 63 * mins}
		}},
	{Name: "n30 suspended", Nodes: 2, About: "gang scheduling suspends the job for 10 min, and resumes it",
		Does:  pauses(during(span{40 * mins, 50 * mins}), ready, train),
		Slurm: func(at time.Duration) slurmWord { return slurmWord{suspended: at >= 40*mins && at < 50*mins} }},
	{Name: "n31 VASP", GPUs: 4, On: a100,
		About: "4 GPUs of an electronic structure code: loops of 90 s with a serial part of 25 s on rank 0",
		Does: cycle(part{90 * sec, Work{Util: 85, Memory: 40, Power: 540, Clock: 1900,
			NVLink: 4 * giga, TX: giga / 3, RX: giga / 3, Used: 25}},
			part{25 * sec, only(mix(ready, alone, 0.3), ready, 0)}), Runs: mpirun("vasp_std")},
	{Name: "n32 silent node", Nodes: 4, About: "training on 4 nodes; one does not report for 40 s, twice", Does: train,
		Silent: func(at time.Duration, node int) bool {
			return node == 2 && (span{30 * mins, 30*mins + 40*sec}.has(at) || span{70 * mins, 70*mins + 40*sec}.has(at))
		}, Allowed: kinds("node_stale")},
	{Name: "n33 ends well", Nodes: 2, Length: 50 * mins, Runs: torchrun.dead(40*mins, gpus(1, 16)...).dead(43*mins, 0),
		About: "training ends: all stop, rank 0 saves for 3 min, then the job ends",
		Does: sequence(part{40 * mins, train},
			part{0, only(sequence(part{30 * sec, saving}, part{0, writing}), resting, 0)}), Slurm: over(43 * mins)},
	{Name: "n34 stages of a workflow", About: "prepare on 1 GPU for 12 min, train on 8 for 40, evaluate on 2 for 10",
		Does: cycle(part{12 * mins, only(alone, resting, 0)}, part{40 * mins, train},
			part{10 * mins, only(alone, resting, 0, 1)}), Runs: programs("python"), Allowed: idleTells},
	{Name: "n35 warm-up of a collective", Nodes: 8, Age: brandNew, Length: 30 * mins,
		Runs: launched("RANK", "python", 10*sec), About: "NCCL sets up 8 nodes for 100 s: all spin, then train",
		Does: sequence(part{30 * sec, loading}, part{100 * sec, spin}, part{0, train})},
	{Name: "n36 data preparation", Nodes: 2,
		About: "after an hour of training rank 0 tokenizes the next part for 4 min 30 s on the CPU, all others spin",
		Does:  pauses(during(span{55 * mins, 59*mins + 30*sec}), only(ready, spin, 0), train)},
}

// growing is when the programs of a large job begin: node by node.
func growing(gpu int) time.Duration { return 20*sec + scattered(340*sec, uint64(gpu/8), 28) }

var (
	// generation is text generation on each GPU: requests end at different times.
	generation = wobbling(77, 25*sec, 0.2, decode)
	// drafting is a small model that guesses what a large one will say.
	drafting = Work{Util: 35, Memory: 22, Power: 190, Clock: 1980, NVLink: 40 * mega, TX: 5e6, RX: 5e6, Used: 20}
)

// Jobs that answer requests.
var serving = []Shape{
	{Name: "h10 tensor-parallel serving", GPUs: 4, About: "one model on 4 GPUs, requests in bursts",
		Does: pauses(bursts(60*sec, 50*sec), decode, ready), Runs: programs("VLLM::Worker")},
	{Name: "h13 evening", About: "one model on 8 GPUs, a request now and then",
		Does: pauses(bursts(12*sec, 5*mins), decode, ready), Runs: programs("VLLM::Worker")},
	{Name: "n40 replicas", About: "8 servers behind a load balancer, each with bursts of its own",
		Does: own(pauses(bursts(40*sec, 30*sec), decode, ready)), Runs: programs("VLLM::Worker")},
	{Name: "n41 busy replicas", About: "8 servers under full load: 85 to 98%, seldom a lull for one",
		Does: own(pauses(every(14*mins, 100*sec), mix(decode, ready, 0.6), wobbling(41, 20*sec, 0.12, decode))),
		Runs: programs("VLLM::Worker")},
	{Name: "n42 speculative decoding", GPUs: 4, About: "a draft model on 1 GPU at 35%, the large one on 3",
		Does: pauses(every(10*mins, 30*sec), ready, only(drafting, decode, 3)), Runs: programs("VLLM::Worker")},
	{Name: "n43 prefill and decode", About: "2 GPUs prefill at full power, 6 decode: other power, other memory traffic",
		Does: wobbling(43, 30*sec, 0.15, only(Work{Util: 94, Memory: 30, Power: 660, Clock: 1600,
			NVLink: 5 * giga, TX: 2e7, RX: 2e7, Used: 60}, decode, gpus(0, 2)...)), Runs: programs("VLLM::Worker")},
	{Name: "n44 offline batch", Length: 88 * mins,
		About: "8 replicas work off a queue: all full for 80 min, then they run dry one by one",
		Does: where(func(at time.Duration, gpu int) bool { return at >= oneByOne(80*mins, 70*sec, 3, 8)(gpu) },
			ready, generation), Runs: programs("VLLM::Worker")},
}
