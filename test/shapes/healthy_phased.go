package shapes

import "time"

// Jobs with one phase after the other, or with different work on different GPUs.
var phased = []Shape{
	{
		Name:  "h11 RL phases",
		About: "all generate for 2 min, then all train for 90 s, with 20 s of rewards on the CPU",
		Build: func(r *rig) Job {
			return r.torch(cycle(part{2 * mins, r.generation()}, part{20 * sec, ready}, part{90 * sec, train}))
		},
	},
	{
		Name:  "n20 GRPO",
		About: "4 GPUs generate with vLLM, 4 train; each waits for the other in turn",
		Build: func(r *rig) Job {
			generate := cycle(part{70 * sec, r.generation()}, part{45 * sec, ready})
			trains := cycle(part{75 * sec, ready}, part{40 * sec, train})
			return r.single("python", where(first(4), generate, trains))
		},
	},
	{
		Name:  "n21 GAN",
		About: "generator and discriminator alternate, each 8 s, with unequal power",
		Build: func(r *rig) Job {
			light := train.with(func(w *Work) { w.Power, w.Memory, w.NVLink = 380, 30, 20*giga })
			return r.torch(cycle(part{8 * sec, train}, part{8 * sec, light}))
		},
	},
	{
		Name: "n22 JAX compiles", Nodes: 2,
		About: "XLA compiles for 40 to 70 s now and then: GPUs at 0%",
		Build: func(r *rig) Job {
			return r.tasks("python", pauses(r.every(17*mins, 55*sec), ready, train))
		},
	},
	{
		Name:  "n23 torch.compile",
		About: "new shapes are compiled: one rank for 30 to 50 s, the others spin",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(9*mins, 40*sec), only(ready, spin, 3), train))
		},
	},
	{
		Name:  "n24 generation and filter",
		About: "7 GPUs generate data, the last filters it now and then",
		Build: func(r *rig) Job {
			filter := pauses(r.bursts(40*sec, 90*sec), alone.light(300), ready)
			return r.single("python", only(filter, r.generation(), 7))
		},
	},
	{
		Name: "n25 FSDP with offload", Nodes: 2,
		About: "parameters in host memory, steps of 11 s, 2 nodes",
		Build: func(r *rig) Job {
			update := Work{Util: 9, Memory: 4, Power: 170, Clock: 1980, TX: 15 * giga, RX: 15 * giga, Used: 40}
			return r.torch(averaged(sec, cycle(part{8 * sec, train}, part{3 * sec, update})))
		},
	},
	{
		Name: "n26 slow writers", Nodes: 2,
		About: "checkpoints every 30 min: all copy, some write for 100 s, stragglers for 230 s, the others spin",
		Build: func(r *rig) Job {
			write := func(at time.Duration, g int) Work {
				lasts := 100 * sec
				if g == 3 || g == 9 {
					lasts = 230 * sec
				}
				switch {
				case at < 15*sec:
					return saving
				case at < lasts:
					return writing
				}
				return spin
			}
			return r.torch(pauses(r.every(30*mins, 235*sec), does(write), train))
		},
	},
	{
		Name:  "n27 profiler",
		About: "rank 0 records a profile: for 3 min it is 8% slower, the others wait as much",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(30*mins, 3*mins), only(mix(train, ready, 0.08), waits(0.08), 0), train))
		},
	},
	{
		Name: "n28 growing start", Nodes: 64, Age: brandNew, Length: 30 * mins,
		About: "64 nodes start over 6 min; those that are there spin",
		Build: func(r *rig) Job {
			begins := func(g int) time.Duration {
				return 20*sec +
					time.Duration(unit(uint64(g/8), 28)*float64(340*sec))
			}
			return Job{Does: does(func(at time.Duration, g int) Work {
				switch {
				case at < begins(g):
					return resting
				case at < begins(g)+15*sec:
					return loading
				case at < 390*sec:
					return spin
				}
				return train
			}), Runs: func(at time.Duration, g int) []Process {
				if at < begins(g) {
					return nil
				}
				return r.launched("RANK", "python", begins(g))(at, g)
			}}
		},
	},
	{
		Name: "n29 preempted", Nodes: 2,
		About: "requeued after an hour, starts again 3 min later with a start of 2 min",
		Build: func(r *rig) Job {
			const out, back = 60 * mins, 63 * mins
			stops := []span{{out - 10*sec, back + 25*sec}}
			return Job{Does: from(out-10*sec, train, from(back, resting, does(func(at time.Duration, g int) Work {
				return r.starting(2*mins, train)(at-back, g)
			}))), Runs: r.torchrun().again(stops), Slurm: func(at time.Duration) slurmWord {
				switch {
				case at < out:
					return slurmWord{}
				case at < back:
					return slurmWord{queued: true}
				}
				return slurmWord{start: back}
			}}
		},
	},
	{
		Name: "n30 suspended", Nodes: 2,
		About: "gang scheduling suspends the job for 10 min, and resumes it",
		Build: func(r *rig) Job {
			j := r.torch(pauses([]span{{40 * mins, 50 * mins}}, ready, train))
			j.Slurm = func(at time.Duration) slurmWord { return slurmWord{suspended: at >= 40*mins && at < 50*mins} }
			return j
		},
	},
	{
		Name: "n31 VASP", GPUs: 4, On: a100,
		About: "4 GPUs of an electronic structure code: loops of 90 s with a serial part of 25 s on rank 0",
		Build: func(r *rig) Job {
			loop := Work{Util: 85, Memory: 40, Power: 540, Clock: 1900, NVLink: 4 * giga, TX: giga / 3, RX: giga / 3,
				Used: 25}
			serial := only(mix(ready, alone, 0.3), ready, 0)
			return r.mpi("vasp_std", cycle(part{90 * sec, loop}, part{25 * sec, serial}))
		},
	},
	{
		Name: "n32 silent node", Nodes: 4,
		About: "training on 4 nodes; one does not report for 40 s, twice",
		Build: func(r *rig) Job {
			gaps := []span{{30 * mins, 30*mins + 40*sec}, {70 * mins, 70*mins + 40*sec}}
			return Job{Does: train, Runs: r.torchrun(), Silent: func(at time.Duration, node int) bool {
				_, in := within(gaps, at)
				return in && node == 2
			}}
		},
		Allowed: kinds("node_stale"),
	},
	{
		Name: "n33 ends well", Nodes: 2, Length: 50 * mins,
		About: "training ends: all stop, rank 0 saves for 3 min, then the job ends",
		Build: func(r *rig) Job {
			const end, over = 40 * mins, 43 * mins
			rest := only(sequence(part{30 * sec, saving}, part{0, writing}), resting, 0)
			return Job{Does: from(end, train, does(func(at time.Duration, g int) Work { return rest(at-end, g) })),
				Runs: r.torchrun().ending(func(g int) time.Duration {
					return end +
						time.Duration(max(1-g, 0))*3*mins
				}),
				Slurm: func(at time.Duration) slurmWord { return slurmWord{queued: at >= over} }}
		},
	},
	{
		Name:  "n34 stages of a workflow",
		About: "prepare on 1 GPU for 12 min, train on 8 for 40, evaluate on 2 for 10",
		Build: func(r *rig) Job {
			on := func(n int, w Work) Program {
				return where(func(g int) bool { return g < n }, w, resting)
			}
			steps := cycle(part{12 * mins, on(1, alone)}, part{40 * mins, on(8, train)}, part{10 * mins, on(2, alone)})
			return r.single("python", steps)
		},
		Allowed: idleTells,
	},
	{
		Name: "n35 warm-up of a collective", Nodes: 8, Age: brandNew, Length: 30 * mins,
		About: "NCCL sets up 8 nodes for 100 s: all spin, then train",
		Build: func(r *rig) Job {
			begins := sequence(part{30 * sec, loading}, part{100 * sec, spin}, part{0, train})
			return Job{Does: begins, Runs: r.launched("RANK", "python", 10*sec)}
		},
	},
	{
		Name: "n36 data preparation", Nodes: 2,
		About: "after an hour of training rank 0 tokenizes the next part for 4 min 30 s on the CPU, all others spin",
		Build: func(r *rig) Job {
			return r.torch(pauses([]span{{55 * mins, 59*mins + 30*sec}}, only(ready, spin, 0), train))
		},
	},
}

// generation is text generation on each GPU: requests end at different times.
func (r *rig) generation() does { return wobbling(77, 25*sec, 0.2, decode) }

// Jobs that answer requests.
var serving = []Shape{
	{
		Name: "h10 tensor-parallel serving", GPUs: 4,
		About: "one model on 4 GPUs, requests in bursts",
		Build: func(r *rig) Job {
			return r.single("VLLM::Worker", pauses(r.bursts(60*sec, 50*sec), decode, ready))
		},
	},
	{
		Name:  "h13 evening",
		About: "one model on 8 GPUs, a request now and then",
		Build: func(r *rig) Job {
			return r.single("VLLM::Worker", pauses(r.bursts(12*sec, 5*mins), decode, ready))
		},
	},
	{
		Name:  "n40 replicas",
		About: "8 servers behind a load balancer, each with bursts of its own",
		Build: func(r *rig) Job {
			server := func(int) Program { return pauses(r.bursts(40*sec, 30*sec), decode, ready) }
			return r.single("VLLM::Worker", r.alone(server))
		},
	},
	{
		Name:  "n41 busy replicas",
		About: "8 servers under full load: 85 to 98%, seldom a lull for one",
		Build: func(r *rig) Job {
			return Job{Does: r.alone(func(int) Program {
				return pauses(r.every(14*mins, 100*sec), mix(decode, ready, 0.6), wobbling(41, 20*sec, 0.12, decode))
			}), Runs: r.programs("VLLM::Worker")}
		},
	},
	{
		Name: "n42 speculative decoding", GPUs: 4,
		About: "a draft model on 1 GPU at 35%, the large one on 3",
		Build: func(r *rig) Job {
			draft := Work{Util: 35, Memory: 22, Power: 190, Clock: 1980, NVLink: 40 * mega, TX: 5 * mega, RX: 5 * mega,
				Used: 20}
			return r.single("VLLM::Worker", pauses(r.every(10*mins, 30*sec), ready, only(draft, decode, 3)))
		},
	},
	{
		Name:  "n43 prefill and decode",
		About: "2 GPUs prefill at full power, 6 decode: other power, other memory traffic",
		Build: func(r *rig) Job {
			prefill := Work{Util: 94, Memory: 30, Power: 660, Clock: 1600, NVLink: 5 * giga, TX: 2e7, RX: 2e7, Used: 60}
			return r.single("VLLM::Worker", wobbling(43, 30*sec, 0.15, where(first(2), prefill, decode)))
		},
	},
	{
		Name:  "n44 offline batch",
		About: "8 replicas work off a queue: all full for 80 min, then they run dry one by one",
		Build: func(r *rig) Job {
			dry := func(g int) time.Duration { return 80*mins + time.Duration((g*3)%8)*70*sec }
			return Job{Does: does(func(at time.Duration, g int) Work {
				if at >= dry(g) {
					return ready
				}
				return r.generation()(at, g)
			}), Runs: r.programs("VLLM::Worker")}
		},
		Length: 88 * mins,
	},
}
