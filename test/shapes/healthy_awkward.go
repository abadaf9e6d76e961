package shapes

import "time"

// Healthy jobs whose GPUs work together in ways that look like a fault.
var awkward = []Shape{
	{Name: "n50 data parallel", GPUs: 4, On: v100, Runs: oneForAll("python"),
		About: "one process on 4 GPUs: the first gathers everything, and has more to do and more memory",
		Does:  wobbling(50, 10*sec, 0.08, only(train.using(76), mix(train, ready, 0.18).using(52), 0))},
	{Name: "n51 heavy last stage",
		About: "the last stage of a pipeline has the head: the others wait 11% of the time, and always have",
		Does:  saves(25*mins, 50*sec, only(train, waits(0.11), 7))},
	{Name: "n52 uneven domains", Nodes: 2, About: "an MPI code with domains of unequal size: 96 to 70%, by design",
		Does: wobbling(52, 20*sec, 0.05,
			does(func(_ time.Duration, g int) Work { return mix(train, ready, 0.02+0.27*unit(52, uint64(g))) })),
		Runs: mpirun("solver")},
	{Name: "n53 download", Nodes: 2, Age: brandNew, Runs: launched("RANK", "python", 20*sec),
		About: "a job begins: rank 0 fetches the data for 4 min, the others spin in a barrier",
		Does:  sequence(part{40 * sec, loading}, part{240 * sec, only(ready.using(2), spin, 0)}, part{0, train})},
	{Name: "n54 evaluation as it begins",
		About: "the watch begins in an evaluation on rank 0 that lasts 4 more minutes",
		Does: pauses(during(span{0, 4 * mins}, span{55 * mins, 60 * mins}, span{112 * mins, 117 * mins}),
			rank0Evaluates, train)},
	{Name: "n55 long compilation", Nodes: 2, Age: brandNew, About: "XLA compiles for 7 min before the first step",
		Does: sequence(part{40 * sec, loading}, part{7 * mins, ready.using(60)}, part{0, train}),
		Runs: launched("SLURM_PROCID", "python", 20*sec)},
	{Name: "n56 graph training", GPUs: 4,
		About: "neighbours are sampled on the CPU: 20 to 60%, each GPU by its own batches",
		Does:  wobbling(56, 6*sec, 0.6, mix(ready, train, 0.6))},
	{Name: "n57 tail of a batch", Nodes: 2, Length: 60 * mins,
		About: "distributed inference ends: ranks that are done spin in a barrier for up to 5 min, then all go on",
		Does: where(func(at time.Duration, g int) bool {
			return at >= 40*mins+scattered(5*mins, 57, uint64(g)) && at < 45*mins
		}, spin, alone)},
	{Name: "n58 capped node of 2", Nodes: 2,
		About: "the admin lowers the power of one node of 2 by a tenth: its clocks are 5% lower",
		Does:  from(40*mins, train, only(capped(550, 1570), waits(0.05), node(1)...))},
	{Name: "n59 warm GPU", Nodes: 2,
		About: "one GPU is at 0.92 of the clock: the others wait 8% of the time, which costs little",
		Does:  saves(25*mins, 50*sec, only(clocked(0.92), waits(0.08), 6))},
	{Name: "n60 short slowness", Nodes: 2, About: "one GPU is a fifth slower for 80 s now and then, always another one",
		Does: drawn(func(r *rig) does {
			spans := every(22*mins, 80*sec)(r)
			return func(at time.Duration, g int) Work {
				i, in := within(spans, at)
				switch {
				case in && int(16*unit(60, uint64(spans[i].from))) == g:
					return clocked(0.8)
				case in:
					return waits(0.2)
				}
				return train
			}
		})},
	{Name: "n61 in turn", Nodes: 2,
		About: "ranks write a checkpoint one after the other, 18 s each: all others spin, for 5 min",
		Does: pauses(every(45*mins, 285*sec),
			where(func(at time.Duration, g int) bool { return int(at/(18*sec)) == g }, saving, spin), train)},
	{Name: "n62 slow file system", Nodes: 2, About: "all ranks write their part to a slow file system for 4 min 30 s",
		Does: pauses(every(50*mins, 265*sec), sequence(part{15 * sec, saving}, part{0, writing}), train)},
	{Name: "n63 actors and learners", About: "2 learners at 97%, 6 actors at 40% with simulators on the CPU",
		Does: only(train, wobbling(63, 15*sec, 0.3, acting), gpus(0, 2)...), Runs: programs("python")},
	{Name: "n64 reward model", About: "every 3 min one GPU scores for 40 s, and the others are idle",
		Does: cycle(part{60 * sec, generation}, part{40 * sec, only(alone, ready, 7)}, part{80 * sec, train})},
	{Name: "n65 spinning trainers",
		About: "4 GPUs generate for 75 s, while the 4 that train spin until the samples come; then 60 s of training",
		Does: cycle(part{75 * sec, only(generation, spin, gpus(0, 4)...)},
			part{60 * sec, only(ready, train, gpus(0, 4)...)})},
	{Name: "n66 MIG", On: migs, About: "instances of 8 GPUs in MIG mode, each at work on its own: nothing is compared",
		Does: wobbling(66, 3*mins, 0.8, alone), Runs: programs("python")},
	{Name: "n67 tired loaders", Nodes: 2,
		About: "after an hour all loaders get slower, by a third: the input is compressed more",
		Does:  from(60*mins, train, wobbling(67, 12*sec, 0.15, mix(train, ready, 0.3)))},
	{Name: "n68 large to small", Nodes: 2, About: "progressive training: batches shrink and grow, 620 W to 260 W",
		Does: cycle(part{25 * mins, train}, part{15 * mins, train.light(260)}, part{20 * mins, train.light(430)})},
	{Name: "n69 narrow network", Nodes: 4,
		About: "the InfiniBand of one node of 4 does a third: its GPUs and all others wait for it",
		Does:  slower(waits(0.5).with(func(w *Work) { w.Net = train.Net / 2 }))},
	{Name: "n85 one after the other",
		About:    "a script runs one training of half an hour after the other: new processes, 100 s to start",
		Restarts: every(31*mins, 15*sec),
		Does: pauses(restarts(85*sec),
			sequence(part{20 * sec, resting}, part{50 * sec, loading}, part{0, ready}), train)},
	{Name: "n86 local disk", About: "rank 0 writes to the disk of its node for 4 min every 30 min: no traffic shows it",
		Does: pauses(every(30*mins, 240*sec), only(sequence(part{20 * sec, saving}, part{0, ready}), spin, 0), train)},
	{Name: "n87 small network", Nodes: 2,
		About: "reinforcement learning with a small network: ranks mostly spin until all environments have stepped",
		Does:  wobbling(87, 30*sec, 0.1, mix(spin, train, 0.04))},
	{Name: "n88 rare exchange", Nodes: 2,
		About: "local steps: the GPUs average their weights once in 2 min, and differ by 8% in between",
		Does: cycle(part{112 * sec, wobbling(88, 25*sec, 0.08,
			train.with(func(w *Work) { w.NVLink, w.Net = 40e3, 1e3 }))}, part{8 * sec, train})},
	{Name: "n89 unlisted", Unlisted: true,
		About: "rank 0 evaluates for 3 min every 25 min; nobody may list the processes",
		Does:  pauses(every(25*mins, 180*sec), rank0Evaluates, train)},
	{Name: "n90 more for rank 0", Nodes: 2,
		About: "after an hour rank 0 also draws samples: the others wait 8% of the time for it",
		Does:  saves(25*mins, 50*sec, from(60*mins, train, only(train, waits(0.08), 0)))},
	{Name: "n91 long evaluation", Nodes: 2,
		About: "all GPUs evaluate for 5 min every 27 min: parts of unequal work, less power than in training",
		Does: pauses(every(27*mins, 290*sec), does(func(_ time.Duration, g int) Work {
			return mix(alone.light(450), ready, 0.5*unit(91, uint64(g)))
		}), train)},
	{Name: "n92 light parameter server", About: "one GPU holds the parameters of a light training and hardly computes",
		Does: only(Work{Util: 3, Memory: 3, Power: 130, Clock: 1980, NVLink: 60 * giga, TX: 8e7, RX: 8e7, Used: 30},
			train.light(420), 0), Runs: programs("python")},
	{Name: "n93 looping evaluator",
		About: "7 GPUs do a light training; the last evaluates all the time, at 30%, and talks to none",
		Does:  only(wobbling(93, 20*sec, 0.3, mix(ready, alone, 0.35)), train.light(430), 7), Runs: programs("python")},
	{Name: "n94 six learners", About: "6 learners at 98%, 2 actors at 40% that fetch the weights over NVLink",
		Does: only(train.light(460), wobbling(94, 15*sec, 0.2, acting), gpus(0, 6)...), Runs: programs("python")},
	{Name: "n95 long rollouts",
		About: "sequences of unequal length: GPUs are done after 2.5 to 6 min and spin, then all train for 2 min",
		Does: cycle(part{6 * mins, where(func(at time.Duration, g int) bool {
			return at > 150*sec+scattered(200*sec, 95, uint64(g))
		}, spin, generation)}, part{2 * mins, train})},
	{Name: "n96 ends in shards", Nodes: 2, Length: 48 * mins,
		About: "a training is over: each rank writes its part, and ends when that is done, after 0.5 to 6 min",
		Ends:  func(g int) time.Duration { return 40*mins + 30*sec + scattered(330*sec, 96, uint64(g)) },
		Does:  from(40*mins, train, writing), Slurm: over(46 * mins)},
	{Name: "n97 hot expert", About: "experts on 8 GPUs: one has a tenth more to do for some minutes, then another one",
		Does: where(oneOf8(97, 7*mins), train, waits(0.1))},
	{Name: "n98 limited node", Nodes: 2,
		About: "one of 2 nodes has a lower power limit since before the watch began: the other waits 9% of the time",
		Does:  saves(25*mins, 50*sec, only(capped(560, 1500), waits(0.09), node(1)...))},
	{Name: "n110 seldom looked at", Nodes: 2, Poll: 15 * sec,
		About: "rank 0 evaluates for 4 min every 30 min; nodes report every 15 s",
		Does:  pauses(every(30*mins, 240*sec), rank0Evaluates, train)},
	{Name: "n111 half nodes", Nodes: 2, GPUs: 4, Beside: 4,
		About: "4 GPUs of each of 2 nodes train, with pauses of 100 s; another user trains on the others",
		Does:  saves(20*mins, 100*sec, waits(0.1))},
	{Name: "n115 small decoding",
		About: "every 20 min all GPUs generate one by one for 4 min: 100% at 190 W, hardly any memory traffic",
		Does: pauses(every(20*mins, 240*sec),
			Work{Util: 100, Memory: 2.4, Power: 190, Clock: 1980, TX: 2e6, RX: 2e6, Used: 70}, train)},
	{Name: "n119 cold expert",
		About: "experts on 8 GPUs: one has a quarter less to do for some minutes and spins, then another one",
		Does:  where(oneOf8(119, 9*mins), waits(0.25), train)},
}

// acting is an actor of reinforcement learning, with its simulators on the CPU.
var acting = Work{
	Util: 40, Memory: 12, Power: 240, Clock: 1980, NVLink: 300 * mega, TX: 2 * giga, RX: giga, Used: 20,
}

// oneOf8 picks one GPU of 8 for some time, then another one.
func oneOf8(seed uint64, turn time.Duration) pick {
	return func(at time.Duration, gpu int) bool { return int(8*unit(seed, uint64(at/turn))) == gpu }
}
