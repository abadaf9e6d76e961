package shapes

import "time"

// Healthy jobs whose GPUs work together.
var training = []Shape{
	{Name: "h01 ddp", Nodes: 2, About: "data-parallel training on 2 nodes, a checkpoint of 60 s every 20 min",
		Does: saves(20*mins, 60*sec, train)},
	{Name: "h02 accumulation", Nodes: 2, About: "gradients are exchanged every 24 s, in bursts",
		Does: cycle(part{21 * sec, train.computing()}, part{3 * sec, train})},
	{Name: "h03 pipeline", Nodes: 2, About: "pipeline stages with equal work, bubbles of 12%",
		Does: saves(30*mins, 50*sec, waits(0.12))},
	{Name: "h03b uneven pipeline", About: "stages with 95 to 40% of the work: they wait without spinning",
		Does: saves(30*mins, 50*sec, stages(95, 90, 92, 70, 71, 55, 42, 60))},
	{Name: "h03c aliased pipeline",
		About: "steps of 2.9 s, of which each stage works a part, as samples every 3 s see them",
		Does: averaged(800*time.Millisecond, shifted(300*time.Millisecond,
			cycle(part{1900 * time.Millisecond, train}, part{1 * sec, ready})))},
	{Name: "h04 parameter server", About: "GPU 0 holds the parameters and hardly computes",
		Does: only(Work{Util: 2, Memory: 3, Power: 130, Clock: 1980, NVLink: 90 * giga, TX: 8e7, RX: 8e7, Used: 30},
			train, 0), Runs: programs("python")},
	{Name: "h06 long checkpoints", Nodes: 2, About: "all ranks write for 60 s every 15 min, some spin meanwhile",
		Does: pauses(every(15*mins, 60*sec), checkpoint(0.3), train)},
	{Name: "h07 rank-0 evaluation", About: "rank 0 evaluates for 100 s every 18 min, the others spin",
		Does: pauses(every(18*mins, 100*sec), rank0Evaluates, train)},
	{Name: "h07b long rank-0 evaluation", Nodes: 2, About: "the same for 5 min every 35 min, on 2 nodes",
		Does: pauses(every(35*mins, 290*sec), rank0Evaluates, train)},
	{Name: "h08 evaluation of all", Nodes: 2, About: "all GPUs evaluate for 2 min every 12 min, unevenly",
		Does: pauses(every(12*mins, 120*sec), where( // the last ones wait for the longest
			func(at time.Duration, g int) bool { return at > 95*sec+time.Duration(g%5)*4*sec }, spin,
			own(alone, mix(alone, ready, 0.2), mix(alone, ready, 0.35), mix(alone, ready, 0.1))), train)},
	{Name: "h09 warm-up", Nodes: 2, Age: brandNew, About: "a job begins: programs start, compile, load, and work",
		Does: starting(140*sec, saves(20*mins, 60*sec, train)), Runs: launched("RANK", "python", 20*sec)},
	{Name: "h12 rank 0 writes", About: "rank 0 writes a checkpoint for 4 min every 30 min, the others spin at 135 W",
		Does: pauses(every(30*mins, 240*sec), rank0Writes, train)},
	{Name: "h12b rank 0 writes 5 min", Nodes: 2, About: "the same on 2 nodes, for nearly 5 min",
		Does: pauses(every(40*mins, 285*sec), rank0Writes, train)},
	{Name: "h15 silicon", Nodes: 8, Length: time.Hour,
		About: "8 nodes with GPUs of very different leakage, at the power limit",
		Does: does(func(_ time.Duration, g int) Work { // at the power limit, the clock differs between GPUs
			return train.with(func(w *Work) { w.Power, w.Clock = 690, w.Clock*(1-0.1*unit(uint64(g), 5)) })
		})},
	{Name: "h17 molecular dynamics", GPUs: 4, About: "one simulation on 4 GPUs at 55%, with a short exchange each step",
		Does: wobbling(4, 20*sec, 0.1, Work{Util: 55, Memory: 9, Power: 300, Clock: 1950,
			NVLink: 900 * mega, TX: 600 * mega, RX: 600 * mega, Used: 3}), Runs: mpirun("gmx_mpi")},
	{Name: "h18 epochs", Nodes: 2, About: "between epochs, each 6 min, the loaders start anew for 25 s",
		Does: pauses(every(6*mins, 25*sec), ready, train)},
	{Name: "h19 file system", Nodes: 2, About: "reads stall for 10 to 50 s now and then: for all, or for some first",
		Does: pauses(every(11*mins, 30*sec),
			where(func(at time.Duration, g int) bool { return at < time.Duration(g%4)*4*sec }, waits(0.5),
				own(ready, mix(ready, spin, 1))), train)},
	{Name: "h20 mixture of experts", Nodes: 2, About: "the load of each GPU wanders by 20%",
		Does: wobbling(20, 40*sec, 0.2, waits(0.1))},
	{Name: "h21 CPU-bound", About: "the GPUs wait for their loaders half of the time, all alike",
		Does: wobbling(21, 15*sec, 0.12, mix(train, ready, 0.45))},
	{Name: "h23 curriculum", Nodes: 2, About: "sequences get longer: all draw more power, step by step",
		Does: does(func(at time.Duration, _ int) Work { return waits(0.4 - 0.1*float64(at/(30*mins))) })},
	{Name: "h24 wobbling ranks", Nodes: 2, About: "each GPU is up to 12% behind for half a minute, never the same one",
		Does: wobbling(24, 30*sec, 0.12, train)},
	{Name: "h25 power cap", Nodes: 4, Length: 90 * mins,
		About: "the admin lowers the power of all GPUs of one node of 4 by a tenth",
		Does:  only(from(40*mins, train, capped(550, 1580)), train, node(2)...)},
	{Name: "h26 asynchronous checkpoints", Nodes: 2, About: "checkpoints are copied in 4 s and written beside the work",
		Does: pauses(every(10*mins, 4*sec), saving, train)},
	{Name: "h27 validation on a node", Nodes: 2,
		About: "the GPUs of the first of 2 nodes validate for 70 s, the others spin",
		Does:  pauses(every(15*mins, 70*sec), only(alone, spin, node(0)...), train)},
	{Name: "h28 offload", About: "optimizer states in host memory: much PCIe traffic, 60% utilization in waves",
		Does: averaged(sec, cycle(
			part{7 * sec, train.with(func(w *Work) { w.TX, w.RX = 9*giga, 9*giga })},
			part{5 * sec, Work{Util: 6, Memory: 8, Power: 150, Clock: 1980, TX: 20 * giga, RX: 20 * giga, Used: 76}}))},
	{Name: "h29 short clock dip", Nodes: 2, About: "one GPU clocks at 0.6 for 25 s, three times in 2 hours",
		Does: pauses(every(40*mins, 25*sec),
			only(train.with(func(w *Work) { w.Clock, w.Power = 1000, 420 }), waits(0.35), 5), train)},
	{Name: "h30 first pause 90 s", Nodes: 2, About: "after an hour of work the first pause takes 90 s",
		Does: pauses(during(span{63 * mins, 63*mins + 90*sec}), ready, train)},
	{Name: "h31 first pause 150 s", Nodes: 2, About: "the same with 150 s, in which all ranks write",
		Does: pauses(during(span{63 * mins, 63*mins + 150*sec}), checkpoint(0.8), train)},
	{Name: "h32 checkpoints of 180 s", About: "all ranks write for 180 s every 25 min, GPUs at 0%",
		Does: pauses(every(25*mins, 180*sec), writing, train)},
	{Name: "h33 elastic restart", Nodes: 2, About: "torchrun starts all workers anew, 85 s without work",
		Restarts: during(span{50 * mins, 50*mins + 12*sec}),
		Does:     pauses(restarts(73*sec), sequence(part{12 * sec, resting}, part{0, loading}), train)},
	{Name: "h34 PCIe training", GPUs: 4, On: l40s, About: "data-parallel training on 4 L40S without NVLink",
		Does: saves(20*mins, 45*sec, waits(0.15))},
	{Name: "h35 no counters", Nodes: 2, On: mute, About: "training on 2 nodes whose driver tells no bytes",
		Does: saves(20*mins, 60*sec, train)},
	{Name: "h36 learned pauses", About: "rank 0 writes for 3 min as the watch begins, and every 20 min",
		Does: pauses(during(span{0, 170 * sec}).and(every(20*mins, 180*sec)), rank0Writes, train)},
}

// saves is a program that writes a checkpoint of about this length now and then.
func saves(often, lasts time.Duration, usual Program) Program {
	return pauses(every(often, lasts), checkpoint(0.5), usual)
}

// checkpoint is a pause in which all copy, a share of the GPUs write, and the others spin until these are done.
func checkpoint(share float64) Program {
	writes := func(_ time.Duration, gpu int) bool { return unit(uint64(gpu), 3) < share }
	return sequence(part{12 * sec, saving}, part{0, where(writes, writing, spin)})
}

var (
	// rank0Writes is a pause in which rank 0 copies and writes, and the others spin.
	rank0Writes = only(sequence(part{20 * sec, saving}, part{0, writing}), spin, 0)
	// rank0Evaluates is a pause in which rank 0 evaluates, and the others spin.
	rank0Evaluates = only(alone, spin, 0)
)

// capped trains below a lowered power limit.
func capped(power, clock float64) Work {
	return train.with(func(w *Work) { w.Power, w.Clock, w.Throttle = power, clock, 0x4 })
}

// stages are GPUs with these utilizations.
func stages(utils ...float64) Program {
	works := make([]Program, len(utils))
	for i, u := range utils {
		works[i] = mix(ready, train, u/98)
	}
	return own(works...)
}

// starting is a program that begins: processes start one after the other, load, compile, and then work.
func starting(lasts time.Duration, then Program) Program {
	return drawn(func(r *rig) does {
		then := then.begin(r)
		return func(at time.Duration, gpu int) Work {
			switch begin := 20*sec + time.Duration(10*unit(uint64(gpu), 9)*float64(sec)); {
			case at < begin:
				return resting
			case at < lasts/2:
				return loading
			case at < lasts:
				return mix(ready, alone, unit(uint64(gpu), uint64(at/(4*sec)))*0.3)
			}
			return then(at, gpu)
		}
	})
}
