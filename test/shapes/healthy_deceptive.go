package shapes

import "time"

// Independent programs that look like one.
var deceptive = []Shape{
	{
		Name: "n70 common stalls",
		About: "8 programs train alone; the file system stalls all of them at once for 40 s, and each evaluates on " +
			"its own",
		Build: func(r *rig) Job {
			own := r.alone(func(int) Program {
				return pauses(r.every(14*mins, 100*sec), mix(alone, ready, 0.6),
					alone)
			})
			return r.single("python", pauses(r.every(25*mins, 40*sec), ready, own))
		},
	},
	{
		Name:  "n71 offloading alone",
		About: "8 programs with their weights in host memory: 10 GB/s both ways over PCIe, each for itself",
		Build: func(r *rig) Job {
			streams := alone.with(func(w *Work) { w.TX, w.RX, w.Power = 10*giga, 10*giga, 400 })
			return r.single("python", r.alone(func(int) Program {
				return pauses(r.every(10*mins, 90*sec), mix(streams, ready, 0.7), streams)
			}))
		},
	},
	{
		Name: "n72 a training for each node", Nodes: 2,
		About: "each node trains its own model: one is at 98%, the other waits for its CPU half of the time",
		Build: func(r *rig) Job {
			local := train.with(func(w *Work) { w.Net = 1e3 })
			j := r.torch(where(onNode(0), local, wobbling(72, 20*sec, 0.1, mix(local, ready, 0.45))))
			j.Runs = r.byNode()
			return j
		},
	},
	{
		Name: "n73 seeds on 4 nodes", Nodes: 4,
		About: "the same training with 4 seeds, one for each node; they evaluate and save at other times",
		Build: func(r *rig) Job {
			local := train.with(func(w *Work) { w.Net = 1e3 })
			nodes := make([]Program, 4)
			for n := range nodes {
				nodes[n] = pauses(r.every(13*mins, 110*sec), mix(local, ready, 0.65), local)
			}
			return Job{Does: does(func(at time.Duration, g int) Work { return nodes[g/8].at(at, g) }), Runs: r.byNode()}
		},
	},
	{
		Name: "n74 one seed ends", Nodes: 2, Length: 85 * mins,
		About: "a training for each node: one is done after an hour, the other goes on",
		Build: func(r *rig) Job {
			local := train.with(func(w *Work) { w.Net = 1e3 })
			j := Job{Does: from(60*mins, local, where(onNode(1), resting, local))}
			j.Runs = r.byNode().dead(60*mins, 8, 9, 10, 11, 12, 13, 14, 15)
			return j
		},
	},
	{
		Name: "n75 torchrun over shards", Length: 90 * mins,
		About: "torchrun over shards, without any traffic: ranks end well between 50 and 85 min",
		Build: func(r *rig) Job {
			ends := func(g int) time.Duration { return 50*mins + time.Duration((g*3)%8)*5*mins }
			j := r.torch(does(func(at time.Duration, g int) Work {
				if at >= ends(g) {
					return resting
				}
				return wobbling(75, 40*sec, 0.06, alone).at(at, g)
			}))
			j.Runs = j.Runs.ending(ends)
			return j
		},
		Allowed: idleTells,
	},
	{
		Name: "n76 PCIe shards", GPUs: 4, On: l40s, Length: 80 * mins,
		About: "4 GPUs without NVLink render frames for themselves, with 3 GB/s from the host; they end one by one",
		Build: func(r *rig) Job {
			render := alone.with(func(w *Work) { w.RX, w.TX = 3*giga, giga })
			ends := func(g int) time.Duration { return 50*mins + time.Duration(3-g)*9*mins }
			j := r.tasks("blender", does(func(at time.Duration, g int) Work {
				if at >= ends(g) {
					return resting
				}
				return render
			}))
			j.Runs = j.Runs.ending(ends)
			return j
		},
		Allowed: idleTells,
	},
	{
		Name: "n77 no counters, alone", On: mute,
		About: "8 programs train alone on nodes whose driver tells no bytes; they evaluate at other times",
		Build: func(r *rig) Job {
			return r.single("python", r.alone(func(int) Program {
				return pauses(r.every(12*mins, 100*sec), mix(alone, ready, 0.68), alone)
			}))
		},
	},
	{
		Name: "n78 two alone", GPUs: 2,
		About: "2 programs train alone for an hour; then one of them starts a smaller model",
		Build: func(r *rig) Job {
			return r.single("python", from(60*mins, alone, only(mix(alone, ready, 0.5), alone, 1)))
		},
	},
	{
		Name: "n79 started together", Age: brandNew,
		About: "a script starts 8 equal simulations; each is done when it is, after 12 to 20 min, and the next begins",
		Build: func(r *rig) Job {
			return r.tasks("simulate", r.trials(12*mins, 20*mins, 15*sec, 40*sec, 0.97))
		},
	},
	{
		Name:  "n80 two trainings",
		About: "two trainings of 4 GPUs on one node: the second waits for its CPUs, and pauses at other times",
		Build: func(r *rig) Job {
			one := pauses(r.every(20*mins, 45*sec), r.checkpoint(0.5), train)
			other := pauses(r.every(13*mins, 70*sec), r.checkpoint(0.5),
				wobbling(80, 15*sec, 0.1, mix(train, ready, 0.4)))
			return Job{Does: where(first(4), one, other), Runs: r.twice()}
		},
	},
	{
		Name:  "n81 two large models",
		About: "two models on 4 GPUs each answer requests: one has much more to do",
		Build: func(r *rig) Job {
			often, seldom := pauses(r.bursts(3*mins, 15*sec), decode, ready),
				pauses(r.bursts(30*sec, 40*sec), decode, ready)
			return r.single("VLLM::Worker", where(first(4), often, seldom))
		},
	},
	{
		Name: "n82 busy storage", Nodes: 2,
		About: "a training for each node reads 2 GB/s over InfiniBand; the model of one is small",
		Build: func(r *rig) Job {
			local := train.with(func(w *Work) { w.Net, w.Read = 1e3, giga/4 })
			j := Job{Does: where(onNode(0), local, wobbling(82, 20*sec, 0.1, mix(local, ready, 0.4))), Runs: r.byNode()}
			return j
		},
	},
	{
		Name:  "n83 evaluator",
		About: "7 GPUs train, and the last evaluates what they have saved, now and then",
		Build: func(r *rig) Job {
			evaluator := pauses(r.bursts(4*mins, 5*mins), alone, ready)
			return r.single("python", only(evaluator, pauses(r.every(9*mins, 20*sec), saving, train), 7))
		},
	},
	{
		Name:  "n84 tiny kernels",
		About: "8 programs run tiny kernels without a break: 100%, 175 W, hardly any memory traffic, no other traffic",
		Build: func(r *rig) Job {
			tiny := Work{Util: 100, Memory: 3, Power: 175, Clock: 1980, TX: 2e6, RX: 2e6, Used: 3}
			return r.single("simulate", wobbling(84, 2*mins, 0.15, tiny))
		},
	},
	{
		Name:  "n66b offloading, one small",
		About: "8 programs with their weights in host memory; the model of one is small: 60% against 98%",
		Build: func(r *rig) Job {
			streams := alone.with(func(w *Work) { w.Util, w.TX, w.RX, w.Power = 98, 10*giga, 10*giga, 400 })
			return r.single("python", only(mix(streams, ready, 0.4), streams, 5))
		},
	},
	{
		Name:  "n67b draft model",
		About: "a draft model on 1 of 4 GPUs at 35%, the large one at 99% and 420 W on the others",
		Build: func(r *rig) Job {
			draft := Work{Util: 35, Memory: 22, Power: 190, Clock: 1980, NVLink: 40 * mega, TX: 5e6, RX: 5e6, Used: 20}
			full := decode.with(func(w *Work) { w.Util = 99 })
			return r.single("VLLM::Worker", pauses(r.every(10*mins, 30*sec), ready, only(draft, full, 3)))
		},
		GPUs: 4,
	},
	{
		Name: "n68b transcoding", Nodes: 4,
		About: "each GPU works off files of its own; nodes read 1.2 GB/s and write 0.9 GB/s; hard files take 3 min " +
			"at 60%",
		Build: func(r *rig) Job {
			files := alone.with(func(w *Work) { w.Power, w.Read, w.Disk = 380, 150*mega, 110*mega })
			return r.tasks("ffmpeg", r.alone(func(int) Program {
				return pauses(r.every(20*mins, 3*mins), mix(files, ready, 0.4), files)
			}))
		},
	},
	{
		Name: "n112 beside others", Nodes: 4, GPUs: 4, Beside: 4,
		About: "programs of their own on 4 GPUs of each node; another user's training fills the network",
		Build: func(r *rig) Job {
			return r.tasks("python", r.alone(func(int) Program {
				return pauses(r.every(12*mins, 5*mins), mix(alone.light(400), ready, 0.5), alone)
			}))
		},
	},
	{
		Name: "n113 seldom seen", Poll: 10 * sec,
		About: "8 programs train alone, and evaluate at other times; nodes report every 10 s",
		Build: func(r *rig) Job {
			return r.single("python", r.alone(func(int) Program {
				return pauses(r.every(12*mins, 100*sec), mix(alone, ready, 0.68), alone)
			}))
		},
	},
	{
		Name:  "n114 equal phases",
		About: "8 equal programs started at once: 10 min of heavy kernels, then 4 min of tiny ones, 100% at 170 W",
		Build: func(r *rig) Job {
			tiny := Work{Util: 100, Memory: 1, Power: 170, Clock: 1980, TX: 2e6, RX: 2e6, Used: 60}
			return r.single("simulate", cycle(part{10 * mins, alone}, part{4 * mins, tiny}))
		},
	},
	{
		Name: "n116 stalls, then ends", Length: 110 * mins,
		About: "srun over shards on a file system that stalls for 30 s now and then; tasks end well after 60 to 105 min",
		Build: func(r *rig) Job {
			ends := func(g int) time.Duration { return 60*mins + time.Duration((g*3)%8)*6*mins }
			stalling := pauses(r.every(11*mins, 30*sec), ready, alone)
			j := r.tasks("python", does(func(at time.Duration, g int) Work {
				if at >= ends(g) {
					return resting
				}
				return stalling(at, g)
			}))
			j.Runs = j.Runs.ending(ends)
			return j
		},
		Allowed: idleTells,
	},
	{
		Name:  "n117 four pairs",
		About: "four servers on 2 GPUs each: three at 99% and 420 W, the fourth at 60%",
		Build: func(r *rig) Job {
			full := decode.with(func(w *Work) { w.Util = 99 })
			some := wobbling(117, 30*sec, 0.2, mix(full, ready, 0.35))
			return r.single("VLLM::Worker", pauses(r.every(30*mins, 20*sec), ready, where(first(6), full, some)))
		},
	},
	{
		Name:  "n118 training, then inference",
		About: "one job trains for an hour, then 8 new programs infer, each for itself: two of them at 62%",
		Build: func(r *rig) Job {
			infer := alone.light(400)
			begins := []span{{60 * mins, 60*mins + 90*sec}}
			second := only(wobbling(118, 30*sec, 0.1, mix(infer, ready, 0.36)), infer, 2, 6)
			together, apart := r.torchrun(), r.programs("python")
			runs := func(at time.Duration, g int) []Process {
				if at < 60*mins {
					return together(at, g)
				}
				return apart.again(begins)(at, g)
			}
			return Job{Does: pauses(begins, loading, from(60*mins, train, second)), Runs: runs}
		},
	},
}

// byNode is one torchrun on each node, which knows nothing of the others.
func (r *rig) byNode() Processes {
	all := r.torchrun()
	return func(at time.Duration, gpu int) []Process {
		list := all(at, gpu)
		for i := range list {
			list[i].Rank, list[i].World = gpu%r.GPUs, r.GPUs
		}
		return list
	}
}
