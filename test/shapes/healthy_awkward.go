package shapes

import "time"

// Healthy jobs whose GPUs work together in ways that look like a fault.
var awkward = []Shape{
	{
		Name: "n50 data parallel", GPUs: 4, On: v100,
		About: "one process on 4 GPUs: the first gathers everything, and has more to do and more memory",
		Build: func(r *rig) Job {
			first := train.with(func(w *Work) { w.Used = 76 })
			rest := mix(train, ready, 0.18).with(func(w *Work) { w.Used = 52 })
			return Job{Does: wobbling(50, 10*sec, 0.08, only(first, rest, 0)), Runs: r.oneForAll("python")}
		},
	},
	{
		Name:  "n51 heavy last stage",
		About: "the last stage of a pipeline has the head: the others wait 11% of the time, and always have",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(25*mins, 50*sec), r.checkpoint(0.5), only(train, waits(0.11), 7)))
		},
	},
	{
		Name: "n52 uneven domains", Nodes: 2,
		About: "an MPI code with domains of unequal size: 96 to 70%, by design",
		Build: func(r *rig) Job {
			domains := func(at time.Duration, g int) Work { return mix(train, ready, 0.02+0.27*unit(52, uint64(g))) }
			return r.mpi("solver", wobbling(52, 20*sec, 0.05, does(domains)))
		},
	},
	{
		Name: "n53 download", Nodes: 2, Age: brandNew,
		About: "a job begins: rank 0 fetches the data for 4 min, the others spin in a barrier",
		Build: func(r *rig) Job {
			fetch := ready.with(func(w *Work) { w.Used = 2 })
			begins := sequence(part{40 * sec, loading}, part{240 * sec, only(fetch, spin, 0)}, part{0, train})
			return Job{Does: begins, Runs: r.launched("RANK", "python", 20*sec)}
		},
	},
	{
		Name:  "n54 evaluation as it begins",
		About: "the watch begins in an evaluation on rank 0 that lasts 4 more minutes",
		Build: func(r *rig) Job {
			spans := []span{{0, 4 * mins}, {55 * mins, 60 * mins}, {112 * mins, 117 * mins}}
			return r.torch(pauses(spans, only(alone, spin, 0), train))
		},
	},
	{
		Name: "n55 long compilation", Nodes: 2, Age: brandNew,
		About: "XLA compiles for 7 min before the first step",
		Build: func(r *rig) Job {
			compile := ready.with(func(w *Work) { w.Used = 60 })
			begins := sequence(part{40 * sec, loading}, part{7 * mins, compile}, part{0, train})
			return Job{Does: begins, Runs: r.launched("SLURM_PROCID", "python", 20*sec)}
		},
	},
	{
		Name: "n56 graph training", GPUs: 4,
		About: "neighbours are sampled on the CPU: 20 to 60%, each GPU by its own batches",
		Build: func(r *rig) Job {
			return r.torch(wobbling(56, 6*sec, 0.6, mix(ready, train, 0.6)))
		},
	},
	{
		Name: "n57 tail of a batch", Nodes: 2, Length: 60 * mins,
		About: "distributed inference ends: ranks that are done spin in a barrier for up to 5 min, then all go on",
		Build: func(r *rig) Job {
			done := func(g int) time.Duration { return 40*mins + time.Duration(float64(5*mins)*unit(57, uint64(g))) }
			return r.torch(does(func(at time.Duration, g int) Work {
				if at >= done(g) && at < 45*mins {
					return spin
				}
				return alone
			}))
		},
	},
	{
		Name: "n58 capped node of 2", Nodes: 2,
		About: "the admin lowers the power of one node of 2 by a tenth: its clocks are 5% lower",
		Build: func(r *rig) Job {
			capped := train.with(func(w *Work) { w.Power, w.Clock, w.Throttle = 550, 1570, 0x4 })
			return r.torch(from(40*mins, train, where(onNode(1), capped, waits(0.05))))
		},
	},
	{
		Name: "n59 warm GPU", Nodes: 2,
		About: "one GPU is at 0.92 of the clock: the others wait 8% of the time, which costs little",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(25*mins, 50*sec), r.checkpoint(0.5), only(clocked(0.92), waits(0.08), 6)))
		},
	},
	{
		Name: "n60 short slowness", Nodes: 2,
		About: "one GPU is a fifth slower for 80 s now and then, always another one",
		Build: func(r *rig) Job {
			spans := r.every(22*mins, 80*sec)
			return r.torch(does(func(at time.Duration, g int) Work {
				s, in := within(spans, at)
				switch {
				case in && int(16*unit(60, uint64(s.from))) == g:
					return clocked(0.8)
				case in:
					return waits(0.2)
				}
				return train
			}))
		},
	},
	{
		Name: "n61 in turn", Nodes: 2,
		About: "ranks write a checkpoint one after the other, 18 s each: all others spin, for 5 min",
		Build: func(r *rig) Job {
			inTurn := func(at time.Duration, g int) Work {
				if int(at/(18*sec)) == g {
					return saving
				}
				return spin
			}
			return r.torch(pauses(r.every(45*mins, 285*sec), does(inTurn), train))
		},
	},
	{
		Name: "n62 slow file system", Nodes: 2,
		About: "all ranks write their part to a slow file system for 4 min 30 s",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(50*mins, 265*sec), sequence(part{15 * sec, saving}, part{0, writing}), train))
		},
	},
	{
		Name:  "n63 actors and learners",
		About: "2 learners at 97%, 6 actors at 40% with simulators on the CPU",
		Build: func(r *rig) Job {
			actor := Work{Util: 40, Memory: 12, Power: 240, Clock: 1980, NVLink: 300 * mega, TX: 2 * giga, RX: giga,
				Used: 20}
			return r.single("python", where(first(2), train, wobbling(63, 15*sec, 0.3, actor)))
		},
	},
	{
		Name:  "n64 reward model",
		About: "every 3 min one GPU scores for 40 s, and the others are idle",
		Build: func(r *rig) Job {
			score := part{40 * sec, only(alone, ready, 7)}
			return r.torch(cycle(part{60 * sec, r.generation()}, score, part{80 * sec, train}))
		},
	},
	{
		Name:  "n65 spinning trainers",
		About: "4 GPUs generate for 75 s, while the 4 that train spin until the samples come; then 60 s of training",
		Build: func(r *rig) Job {
			samples := part{75 * sec, where(first(4), r.generation(), spin)}
			return r.torch(cycle(samples, part{60 * sec, where(first(4), ready, train)}))
		},
	},
	{
		Name: "n66 MIG", On: migs,
		About: "instances of 8 GPUs in MIG mode, each at work on its own: nothing is compared",
		Build: func(r *rig) Job {
			return r.single("python", wobbling(66, 3*mins, 0.8, alone))
		},
	},
	{
		Name: "n67 tired loaders", Nodes: 2,
		About: "after an hour all loaders get slower, by a third: the input is compressed more",
		Build: func(r *rig) Job {
			slower := wobbling(67, 12*sec, 0.15, mix(train, ready, 0.3))
			return r.torch(from(60*mins, train, slower))
		},
	},
	{
		Name: "n68 large to small", Nodes: 2,
		About: "progressive training: batches shrink and grow, 620 W to 260 W",
		Build: func(r *rig) Job {
			return r.torch(cycle(part{25 * mins, train}, part{15 * mins, train.light(260)},
				part{20 * mins, train.light(430)}))
		},
	},
	{
		Name: "n69 narrow network", Nodes: 4,
		About: "the InfiniBand of one node of 4 does a third: its GPUs and all others wait for it",
		Build: func(r *rig) Job {
			slow := waits(0.5).with(func(w *Work) { w.Net = train.Net / 2 })
			return r.slower(slow)
		},
	},
	{
		Name:  "n85 one after the other",
		About: "a script runs one training of half an hour after the other: new processes, 100 s to start",
		Build: func(r *rig) Job {
			stops := r.every(31*mins, 15*sec)
			starts := make([]span, len(stops))
			for i, s := range stops {
				starts[i] = span{s.from, s.to + 85*sec}
			}
			begins := sequence(part{20 * sec, resting}, part{50 * sec, loading}, part{0, ready})
			return Job{Does: pauses(starts, begins, train), Runs: r.torchrun().again(stops)}
		},
	},
	{
		Name:  "n86 local disk",
		About: "rank 0 writes to the disk of its node for 4 min every 30 min: no traffic shows it",
		Build: func(r *rig) Job {
			write := only(sequence(part{20 * sec, saving}, part{0, ready}), spin, 0)
			return r.torch(pauses(r.every(30*mins, 240*sec), write, train))
		},
	},
	{
		Name: "n87 small network", Nodes: 2,
		About: "reinforcement learning with a small network: ranks mostly spin until all environments have stepped",
		Build: func(r *rig) Job {
			return r.torch(wobbling(87, 30*sec, 0.1, mix(spin, train, 0.04)))
		},
	},
	{
		Name: "n88 rare exchange", Nodes: 2,
		About: "local steps: the GPUs average their weights once in 2 min, and differ by 8% in between",
		Build: func(r *rig) Job {
			local := train.with(func(w *Work) { w.NVLink, w.Net = 40e3, 1e3 })
			return r.torch(cycle(part{112 * sec, wobbling(88, 25*sec, 0.08, local)}, part{8 * sec, train}))
		},
	},
	{
		Name:  "n89 unlisted",
		About: "rank 0 evaluates for 3 min every 25 min; nobody may list the processes",
		Build: func(r *rig) Job {
			return Job{Does: pauses(r.every(25*mins, 180*sec), only(alone, spin, 0), train)}
		},
	},
	{
		Name: "n90 more for rank 0", Nodes: 2,
		About: "after an hour rank 0 also draws samples: the others wait 8% of the time for it",
		Build: func(r *rig) Job {
			more := from(60*mins, train, only(train, waits(0.08), 0))
			return r.torch(pauses(r.every(25*mins, 50*sec), r.checkpoint(0.5), more))
		},
	},
	{
		Name: "n91 long evaluation", Nodes: 2,
		About: "all GPUs evaluate for 5 min every 27 min: parts of unequal work, less power than in training",
		Build: func(r *rig) Job {
			evaluate := does(func(at time.Duration, g int) Work {
				return mix(alone.light(450), ready, 0.5*unit(91, uint64(g)))
			})
			return r.torch(pauses(r.every(27*mins, 290*sec), evaluate, train))
		},
	},
	{
		Name:  "n92 light parameter server",
		About: "one GPU holds the parameters of a light training and hardly computes",
		Build: func(r *rig) Job {
			server := Work{Util: 3, Memory: 3, Power: 130, Clock: 1980, NVLink: 60 * giga, TX: 8e7, RX: 8e7, Used: 30}
			return r.single("python", only(server, train.light(420), 0))
		},
	},
	{
		Name:  "n93 looping evaluator",
		About: "7 GPUs do a light training; the last evaluates all the time, at 30%, and talks to none",
		Build: func(r *rig) Job {
			return r.single("python", only(wobbling(93, 20*sec, 0.3, mix(ready, alone, 0.35)), train.light(430), 7))
		},
	},
	{
		Name:  "n94 six learners",
		About: "6 learners at 98%, 2 actors at 40% that fetch the weights over NVLink",
		Build: func(r *rig) Job {
			actor := Work{Util: 40, Memory: 12, Power: 240, Clock: 1980, NVLink: 300 * mega, TX: 2 * giga, RX: giga,
				Used: 20}
			return r.single("python", where(first(6), train.light(460), wobbling(94, 15*sec, 0.2, actor)))
		},
	},
	{
		Name:  "n95 long rollouts",
		About: "sequences of unequal length: GPUs are done after 2.5 to 6 min and spin, then all train for 2 min",
		Build: func(r *rig) Job {
			return r.torch(cycle(part{6 * mins, does(func(at time.Duration, g int) Work {
				if at > 150*sec+time.Duration(float64(200*sec)*unit(95, uint64(g))) {
					return spin
				}
				return r.generation()(at, g)
			})}, part{2 * mins, train}))
		},
	},
	{
		Name: "n96 ends in shards", Nodes: 2, Length: 48 * mins,
		About: "a training is over: each rank writes its part, and ends when that is done, after 0.5 to 6 min",
		Build: func(r *rig) Job {
			const end = 40 * mins
			ends := func(g int) time.Duration {
				return end + 30*sec +
					time.Duration(float64(330*sec)*unit(96, uint64(g)))
			}
			j := r.torch(from(end, train, does(func(at time.Duration, g int) Work {
				if at >= ends(g) {
					return resting
				}
				return writing
			})))
			j.Runs = j.Runs.ending(ends)
			j.Slurm = func(at time.Duration) slurmWord { return slurmWord{queued: at >= end+6*mins} }
			return j
		},
	},
	{
		Name:  "n97 hot expert",
		About: "experts on 8 GPUs: one has a tenth more to do for some minutes, then another one",
		Build: func(r *rig) Job {
			return r.torch(does(func(at time.Duration, g int) Work {
				if int(8*unit(97, uint64(at/(7*mins)))) == g {
					return train
				}
				return waits(0.1)
			}))
		},
	},
	{
		Name: "n98 limited node", Nodes: 2,
		About: "one of 2 nodes has a lower power limit since before the watch began: the other waits 9% of the time",
		Build: func(r *rig) Job {
			limited := train.with(func(w *Work) { w.Power, w.Clock, w.Throttle = 560, 1500, 0x4 })
			return r.torch(pauses(r.every(25*mins, 50*sec), r.checkpoint(0.5), where(onNode(1), limited, waits(0.09))))
		},
	},
	{
		Name: "n110 seldom looked at", Nodes: 2, Poll: 15 * sec,
		About: "rank 0 evaluates for 4 min every 30 min; nodes report every 15 s",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(30*mins, 240*sec), only(alone, spin, 0), train))
		},
	},
	{
		Name: "n111 half nodes", Nodes: 2, GPUs: 4, Beside: 4,
		About: "4 GPUs of each of 2 nodes train, with pauses of 100 s; another user trains on the others",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(20*mins, 100*sec), r.checkpoint(0.5), waits(0.1)))
		},
	},
	{
		Name:  "n115 small decoding",
		About: "every 20 min all GPUs generate one by one for 4 min: 100% at 190 W, hardly any memory traffic",
		Build: func(r *rig) Job {
			tiny := Work{Util: 100, Memory: 2.4, Power: 190, Clock: 1980, TX: 2e6, RX: 2e6, Used: 70}
			return r.torch(pauses(r.every(20*mins, 240*sec), tiny, train))
		},
	},
	{
		Name:  "n119 cold expert",
		About: "experts on 8 GPUs: one has a quarter less to do for some minutes and spins, then another one",
		Build: func(r *rig) Job {
			return r.torch(does(func(at time.Duration, g int) Work {
				if int(8*unit(119, uint64(at/(9*mins)))) == g {
					return waits(0.25)
				}
				return train
			}))
		},
	},
}
