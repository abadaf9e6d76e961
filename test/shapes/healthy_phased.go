package shapes

import "time"

// Jobs that do one thing after the other, or different things on different GPUs.
var phased = []Shape{
	{Name: "h11 RL phases", About: "all generate for 2 min, then all train for 90 s, with 20 s of rewards on the CPU", Build: func(r *rig) Job {
		return Job{Does: cycle(part{2 * mins, r.generation()}, part{20 * sec, steady(ready)}, part{90 * sec, steady(train)}), Runs: r.torchrun()}
	}},
	{Name: "n20 GRPO", About: "4 GPUs generate with vLLM, 4 train; each waits for the other in turn", Build: func(r *rig) Job {
		generate := cycle(part{70 * sec, r.generation()}, part{45 * sec, steady(ready)})
		trains := cycle(part{75 * sec, steady(ready)}, part{40 * sec, steady(train)})
		return Job{Does: where(func(g int) bool { return g < 4 }, generate, trains), Runs: r.programs("python")}
	}},
	{Name: "n21 GAN", About: "generator and discriminator alternate, each 8 s, with unequal power", Build: func(r *rig) Job {
		light := train.with(func(w *Work) { w.Power, w.Memory, w.NVLink = 380, 30, 20*giga })
		return Job{Does: cycle(part{8 * sec, steady(train)}, part{8 * sec, steady(light)}), Runs: r.torchrun()}
	}},
	{Name: "n22 JAX compiles", About: "XLA compiles for 40 to 70 s now and then: GPUs at 0%", Nodes: 2, Build: func(r *rig) Job {
		return Job{Does: pauses(r.every(17*mins, 55*sec), steady(ready), steady(train)), Runs: r.srun("python")}
	}},
	{Name: "n23 torch.compile", About: "new shapes are compiled: one rank for 30 to 50 s, the others spin", Build: func(r *rig) Job {
		return Job{Does: pauses(r.every(9*mins, 40*sec), only(steady(ready), steady(spin), 3), steady(train)), Runs: r.torchrun()}
	}},
	{Name: "n24 generation and filter", About: "7 GPUs generate data, the last filters it now and then", Build: func(r *rig) Job {
		filter := pauses(r.bursts(40*sec, 90*sec), steady(alone.light(300)), steady(ready))
		return Job{Does: only(filter, r.generation(), 7), Runs: r.programs("python")}
	}},
	{Name: "n25 FSDP with offload", About: "parameters in host memory, steps of 11 s, 2 nodes", Nodes: 2, Build: func(r *rig) Job {
		update := Work{Util: 9, Memory: 4, Power: 170, Clock: 1980, TX: 15 * giga, RX: 15 * giga, Used: 40}
		return Job{Does: averaged(sec, cycle(part{8 * sec, steady(train)}, part{3 * sec, steady(update)})), Runs: r.torchrun()}
	}},
	{Name: "n26 slow writers", About: "checkpoints every 30 min: all copy, some write for 100 s, stragglers for 230 s, the others spin", Nodes: 2, Build: func(r *rig) Job {
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
		return Job{Does: pauses(r.every(30*mins, 235*sec), write, steady(train)), Runs: r.torchrun()}
	}},
	{Name: "n27 profiler", About: "rank 0 records a profile: for 3 min it is 8% slower, the others wait as much", Build: func(r *rig) Job {
		return Job{Does: pauses(r.every(30*mins, 3*mins), only(steady(mix(train, ready, 0.08)), steady(waits(0.08)), 0), steady(train)), Runs: r.torchrun()}
	}},
	{Name: "n28 growing start", About: "64 nodes start over 6 min; those that are there spin", Nodes: 64, Age: brandNew, Length: 30 * mins, Build: func(r *rig) Job {
		begins := func(g int) time.Duration { return 20*sec + time.Duration(unit(uint64(g/8), 28)*float64(340*sec)) }
		return Job{Does: func(at time.Duration, g int) Work {
			switch {
			case at < begins(g):
				return resting
			case at < begins(g)+15*sec:
				return loading
			case at < 390*sec:
				return spin
			}
			return train
		}, Runs: func(at time.Duration, g int) []Process {
			if at < begins(g) {
				return nil
			}
			return r.launched("RANK", "python", begins(g))(at, g)
		}}
	}},
	{Name: "n29 preempted", About: "requeued after an hour, starts again 3 min later with a start of 2 min", Nodes: 2, Build: func(r *rig) Job {
		const out, back = 60 * mins, 63 * mins
		stops := []span{{out - 10*sec, back + 25*sec}}
		return Job{Does: from(out-10*sec, steady(train), from(back, steady(resting), func(at time.Duration, g int) Work {
			return r.starting(2*mins, steady(train))(at-back, g)
		})), Runs: r.torchrun().again(stops), Slurm: func(at time.Duration) slurmWord {
			switch {
			case at < out:
				return slurmWord{}
			case at < back:
				return slurmWord{queued: true}
			}
			return slurmWord{start: back}
		}}
	}},
	{Name: "n30 suspended", About: "gang scheduling suspends the job for 10 min, and resumes it", Nodes: 2, Build: func(r *rig) Job {
		return Job{Does: pauses([]span{{40 * mins, 50 * mins}}, steady(ready), steady(train)), Runs: r.torchrun(), Slurm: func(at time.Duration) slurmWord {
			return slurmWord{suspended: at >= 40*mins && at < 50*mins}
		}}
	}},
	{Name: "n31 VASP", About: "4 GPUs of an electronic structure code: loops of 90 s with a serial part of 25 s on rank 0", GPUs: 4, On: a100, Build: func(r *rig) Job {
		loop := Work{Util: 85, Memory: 40, Power: 540, Clock: 1900, NVLink: 4 * giga, TX: 300 * mega, RX: 300 * mega, Used: 25}
		serial := only(steady(mix(ready, alone, 0.3)), steady(ready), 0)
		return Job{Does: cycle(part{90 * sec, steady(loop)}, part{25 * sec, serial}), Runs: r.mpirun("vasp_std")}
	}},
	{Name: "n32 silent node", About: "training on 4 nodes; one does not report for 40 s, twice", Nodes: 4, Build: func(r *rig) Job {
		gaps := []span{{30 * mins, 30*mins + 40*sec}, {70 * mins, 70*mins + 40*sec}}
		return Job{Does: steady(train), Runs: r.torchrun(), Silent: func(at time.Duration, node int) bool {
			_, in := within(gaps, at)
			return in && node == 2
		}}
	}, Allowed: kinds("node_stale")},
	{Name: "n33 ends well", About: "training ends: all stop, rank 0 saves for 3 min, then the job ends", Nodes: 2, Length: 50 * mins, Build: func(r *rig) Job {
		const end, over = 40 * mins, 43 * mins
		rest := only(sequence(part{30 * sec, steady(saving)}, part{0, steady(writing)}), steady(resting), 0)
		return Job{Does: from(end, steady(train), func(at time.Duration, g int) Work { return rest(at-end, g) }),
			Runs:  r.torchrun().ending(func(g int) time.Duration { return end + map[bool]time.Duration{true: 3 * mins}[g == 0] }),
			Slurm: func(at time.Duration) slurmWord { return slurmWord{queued: at >= over} }}
	}},
	{Name: "n34 stages of a workflow", About: "prepare on 1 GPU for 12 min, train on 8 for 40, evaluate on 2 for 10", Build: func(r *rig) Job {
		on := func(n int, w Work) Program {
			return where(func(g int) bool { return g < n }, steady(w), steady(resting))
		}
		return Job{Does: cycle(part{12 * mins, on(1, alone)}, part{40 * mins, on(8, train)}, part{10 * mins, on(2, alone)}), Runs: r.programs("python")}
	}, Allowed: idleTells},
	{Name: "n35 warm-up of a collective", About: "NCCL sets up 8 nodes for 100 s: all spin, then train", Nodes: 8, Age: brandNew, Length: 30 * mins, Build: func(r *rig) Job {
		return Job{Does: sequence(part{30 * sec, steady(loading)}, part{100 * sec, steady(spin)}, part{0, steady(train)}), Runs: r.launched("RANK", "python", 10*sec)}
	}},
	{Name: "n36 data preparation", About: "after an hour of training rank 0 tokenizes the next part for 4 min 30 s on the CPU, all others spin", Nodes: 2, Build: func(r *rig) Job {
		return Job{Does: pauses([]span{{55 * mins, 59*mins + 30*sec}}, only(steady(ready), steady(spin), 0), steady(train)), Runs: r.torchrun()}
	}},
}

// generation is text generation on each GPU: requests end at different times.
func (r *rig) generation() Program { return wobbling(77, 25*sec, 0.2, steady(decode)) }

// Jobs that answer requests.
var serving = []Shape{
	{Name: "h10 tensor-parallel serving", About: "one model on 4 GPUs, requests in bursts", GPUs: 4, Build: func(r *rig) Job {
		return Job{Does: pauses(r.bursts(60*sec, 50*sec), steady(decode), steady(ready)), Runs: r.programs("VLLM::Worker")}
	}},
	{Name: "h13 evening", About: "one model on 8 GPUs, a request now and then", Build: func(r *rig) Job {
		return Job{Does: pauses(r.bursts(12*sec, 5*mins), steady(decode), steady(ready)), Runs: r.programs("VLLM::Worker")}
	}},
	{Name: "n40 replicas", About: "8 servers behind a load balancer, each with bursts of its own", Build: func(r *rig) Job {
		return Job{Does: r.alone(func(int) Program { return pauses(r.bursts(40*sec, 30*sec), steady(decode), steady(ready)) }), Runs: r.programs("VLLM::Worker")}
	}},
	{Name: "n41 busy replicas", About: "8 servers under full load: 85 to 98%, seldom a lull for one", Build: func(r *rig) Job {
		return Job{Does: r.alone(func(int) Program {
			return pauses(r.every(14*mins, 100*sec), steady(mix(decode, ready, 0.6)), wobbling(41, 20*sec, 0.12, steady(decode)))
		}), Runs: r.programs("VLLM::Worker")}
	}},
	{Name: "n42 speculative decoding", About: "a draft model on 1 GPU at 35%, the large one on 3", GPUs: 4, Build: func(r *rig) Job {
		draft := Work{Util: 35, Memory: 22, Power: 190, Clock: 1980, NVLink: 40 * mega, TX: 5 * mega, RX: 5 * mega, Used: 20}
		return Job{Does: pauses(r.every(10*mins, 30*sec), steady(ready), only(steady(draft), steady(decode), 3)), Runs: r.programs("VLLM::Worker")}
	}},
	{Name: "n43 prefill and decode", About: "2 GPUs prefill at full power, 6 decode: other power, other memory traffic", Build: func(r *rig) Job {
		prefill := Work{Util: 94, Memory: 30, Power: 660, Clock: 1600, NVLink: 5 * giga, TX: 20 * mega, RX: 20 * mega, Used: 60}
		return Job{Does: wobbling(43, 30*sec, 0.15, where(func(g int) bool { return g < 2 }, steady(prefill), steady(decode))), Runs: r.programs("VLLM::Worker")}
	}},
	{Name: "n44 offline batch", About: "8 replicas work off a queue: all full for 80 min, then they run dry one by one", Build: func(r *rig) Job {
		dry := func(g int) time.Duration { return 80*mins + time.Duration((g*3)%8)*70*sec }
		return Job{Does: func(at time.Duration, g int) Work {
			if at >= dry(g) {
				return ready
			}
			return r.generation()(at, g)
		}, Runs: r.programs("VLLM::Worker")}
	}, Length: 88 * mins},
}
