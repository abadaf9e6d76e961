package shapes

import "time"

const (
	sec  = time.Second
	mins = time.Minute
)

// Healthy jobs whose GPUs work together.
var training = []Shape{
	{
		Name: "h01 ddp", Nodes: 2,
		About: "data-parallel training on 2 nodes, a checkpoint of 60 s every 20 min",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(20*mins, 60*sec), r.checkpoint(0.5), train))
		},
	},
	{
		Name: "h02 accumulation", Nodes: 2,
		About: "gradients are exchanged every 24 s, in bursts",
		Build: func(r *rig) Job {
			quiet := train.with(func(w *Work) { w.NVLink, w.Net = 50e3, 1e3 })
			return r.torch(cycle(part{21 * sec, quiet}, part{3 * sec, train}))
		},
	},
	{
		Name: "h03 pipeline", Nodes: 2,
		About: "pipeline stages with equal work, bubbles of 12%",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(30*mins, 50*sec), r.checkpoint(0.5), waits(0.12)))
		},
	},
	{
		Name:  "h03b uneven pipeline",
		About: "stages with 95 to 40% of the work: they wait without spinning",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(30*mins, 50*sec), r.checkpoint(0.5),
				r.stages(95, 90, 92, 70, 71, 55, 42, 60)))
		},
	},
	{
		Name:  "h03c aliased pipeline",
		About: "steps of 2.9 s, of which each stage works a part, as samples every 3 s see them",
		Build: func(r *rig) Job {
			delays := make([]time.Duration, 8)
			for i := range delays {
				delays[i] = time.Duration(i) * 300 * time.Millisecond
			}
			stage := cycle(part{1900 * time.Millisecond, train}, part{1 * sec, ready})
			return r.torch(averaged(800*time.Millisecond, shifted(delays, stage)))
		},
	},
	{
		Name:  "h04 parameter server",
		About: "GPU 0 holds the parameters and hardly computes",
		Build: func(r *rig) Job {
			server := Work{Util: 2, Memory: 3, Power: 130, Clock: 1980, NVLink: 90 * giga, TX: 8e7, RX: 8e7, Used: 30}
			return r.single("python", only(server, train, 0))
		},
	},
	{
		Name: "h06 long checkpoints", Nodes: 2,
		About: "all ranks write for 60 s every 15 min, some spin meanwhile",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(15*mins, 60*sec), r.checkpoint(0.3), train))
		},
	},
	{
		Name:  "h07 rank-0 evaluation",
		About: "rank 0 evaluates for 100 s every 18 min, the others spin",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(18*mins, 100*sec), only(alone, spin, 0), train))
		},
	},
	{
		Name: "h07b long rank-0 evaluation", Nodes: 2,
		About: "the same for 5 min every 35 min, on 2 nodes",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(35*mins, 290*sec), only(alone, spin, 0), train))
		},
	},
	{
		Name: "h08 evaluation of all", Nodes: 2,
		About: "all GPUs evaluate for 2 min every 12 min, unevenly",
		Build: func(r *rig) Job {
			evaluate := each(alone, mix(alone, ready, 0.2), mix(alone, ready, 0.35), mix(alone, ready, 0.1))
			return Job{Does: pauses(r.every(12*mins, 120*sec), does(func(at time.Duration, g int) Work {
				if at > 95*sec+time.Duration(g%5)*4*sec { // the last ones wait for the longest
					return spin
				}
				return evaluate(at, g)
			}), train), Runs: r.torchrun()}
		},
	},
	{
		Name: "h09 warm-up", Nodes: 2, Age: brandNew,
		About: "a job begins: programs start, compile, load, and work",
		Build: func(r *rig) Job {
			begins := r.starting(140*sec, pauses(r.every(20*mins, 60*sec), r.checkpoint(0.5), train))
			return Job{Does: begins, Runs: r.launched("RANK", "python", 20*sec)}
		},
	},
	{
		Name:  "h12 rank 0 writes",
		About: "rank 0 writes a checkpoint for 4 min every 30 min, the others spin at 135 W",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(30*mins, 240*sec), r.rank0Writes(), train))
		},
	},
	{
		Name: "h12b rank 0 writes 5 min", Nodes: 2,
		About: "the same on 2 nodes, for nearly 5 min",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(40*mins, 285*sec), r.rank0Writes(), train))
		},
	},
	{
		Name: "h15 silicon", Nodes: 8, Length: time.Hour,
		About: "8 nodes with GPUs of very different leakage, at the power limit",
		Build: func(r *rig) Job {
			full := train.with(func(w *Work) { w.Power = 690 })
			return Job{Does: does(func(_ time.Duration, g int) Work {
				w := full
				w.Clock *= 1 - 0.1*unit(uint64(g), 5) // at the power limit, the clock differs between GPUs
				return w
			}), Runs: r.torchrun()}
		},
	},
	{
		Name: "h17 molecular dynamics", GPUs: 4,
		About: "one simulation on 4 GPUs at 55%, with a short exchange each step",
		Build: func(r *rig) Job {
			md := Work{Util: 55, Memory: 9, Power: 300, Clock: 1950, NVLink: 900 * mega, TX: 600 * mega, RX: 600 * mega,
				Used: 3}
			return r.mpi("gmx_mpi", wobbling(4, 20*sec, 0.1, md))
		},
	},
	{
		Name: "h18 epochs", Nodes: 2,
		About: "between epochs, each 6 min, the loaders start anew for 25 s",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(6*mins, 25*sec), ready, train))
		},
	},
	{
		Name: "h19 file system", Nodes: 2,
		About: "reads stall for 10 to 50 s now and then: for all, or for some first",
		Build: func(r *rig) Job {
			hiccup := func(at time.Duration, g int) Work {
				if at < time.Duration(g%4)*4*sec {
					return waits(0.5)
				}
				return mix(ready, spin, float64(g%2))
			}
			return r.torch(pauses(r.every(11*mins, 30*sec), does(hiccup), train))
		},
	},
	{
		Name: "h20 mixture of experts", Nodes: 2,
		About: "the load of each GPU wanders by 20%",
		Build: func(r *rig) Job {
			return r.torch(wobbling(20, 40*sec, 0.2, waits(0.1)))
		},
	},
	{
		Name:  "h21 CPU-bound",
		About: "the GPUs wait for their loaders half of the time, all alike",
		Build: func(r *rig) Job {
			return r.torch(wobbling(21, 15*sec, 0.12, mix(train, ready, 0.45)))
		},
	},
	{
		Name: "h23 curriculum", Nodes: 2,
		About: "sequences get longer: all draw more power, step by step",
		Build: func(r *rig) Job {
			return r.torch(does(func(at time.Duration, _ int) Work { return waits(0.4 - 0.1*float64(at/(30*mins))) }))
		},
	},
	{
		Name: "h24 wobbling ranks", Nodes: 2,
		About: "each GPU is up to 12% behind for half a minute, never the same one",
		Build: func(r *rig) Job {
			return r.torch(wobbling(24, 30*sec, 0.12, train))
		},
	},
	{
		Name: "h25 power cap", Nodes: 4, Length: 90 * mins,
		About: "the admin lowers the power of all GPUs of one node of 4 by a tenth",
		Build: func(r *rig) Job {
			capped := train.with(func(w *Work) { w.Power, w.Clock, w.Throttle = 550, 1580, 0x4 })
			return r.torch(where(onNode(2), from(40*mins, train, capped), train))
		},
	},
	{
		Name: "h26 asynchronous checkpoints", Nodes: 2,
		About: "checkpoints are copied in 4 s and written beside the work",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(10*mins, 4*sec), saving, train))
		},
	},
	{
		Name: "h27 validation on a node", Nodes: 2,
		About: "the GPUs of the first of 2 nodes validate for 70 s, the others spin",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(15*mins, 70*sec), where(onNode(0), alone, spin), train))
		},
	},
	{
		Name:  "h28 offload",
		About: "optimizer states in host memory: much PCIe traffic, 60% utilization in waves",
		Build: func(r *rig) Job {
			back := train.with(func(w *Work) { w.TX, w.RX = 9*giga, 9*giga })
			step := Work{Util: 6, Memory: 8, Power: 150, Clock: 1980, TX: 20 * giga, RX: 20 * giga, Used: 76}
			return r.torch(averaged(sec, cycle(part{7 * sec, back}, part{5 * sec, step})))
		},
	},
	{
		Name: "h29 short clock dip", Nodes: 2,
		About: "one GPU clocks at 0.6 for 25 s, three times in 2 hours",
		Build: func(r *rig) Job {
			dip := train.with(func(w *Work) { w.Clock, w.Power = 1000, 420 })
			return r.torch(pauses(r.every(40*mins, 25*sec), only(dip, waits(0.35), 5), train))
		},
	},
	{
		Name: "h30 first pause 90 s", Nodes: 2,
		About: "after an hour of work the first pause takes 90 s",
		Build: func(r *rig) Job {
			return r.torch(pauses([]span{{63 * mins, 63*mins + 90*sec}}, ready, train))
		},
	},
	{
		Name: "h31 first pause 150 s", Nodes: 2,
		About: "the same with 150 s, in which all ranks write",
		Build: func(r *rig) Job {
			return r.torch(pauses([]span{{63 * mins, 63*mins + 150*sec}}, r.checkpoint(0.8), train))
		},
	},
	{
		Name:  "h32 checkpoints of 180 s",
		About: "all ranks write for 180 s every 25 min, GPUs at 0%",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(25*mins, 180*sec), writing, train))
		},
	},
	{
		Name: "h33 elastic restart", Nodes: 2,
		About: "torchrun starts all workers anew, 85 s without work",
		Build: func(r *rig) Job {
			down := []span{{50 * mins, 50*mins + 12*sec}}
			begins := func(at time.Duration, _ int) Work {
				if at < 12*sec {
					return resting
				}
				return loading
			}
			return Job{Does: pauses([]span{{50 * mins, 50*mins + 85*sec}}, does(begins), train),
				Runs: r.torchrun().again(down)}
		},
	},
	{
		Name: "h34 PCIe training", GPUs: 4, On: l40s,
		About: "data-parallel training on 4 L40S without NVLink",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(20*mins, 45*sec), r.checkpoint(0.5), waits(0.15)))
		},
	},
	{
		Name: "h35 no counters", Nodes: 2, On: mute,
		About: "training on 2 nodes whose driver tells no bytes",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.every(20*mins, 60*sec), r.checkpoint(0.5), train))
		},
	},
	{
		Name:  "h36 learned pauses",
		About: "rank 0 writes for 3 min as the watch begins, and every 20 min",
		Build: func(r *rig) Job {
			spans := append([]span{{0, 170 * sec}}, r.every(20*mins, 180*sec)...)
			return r.torch(pauses(spans, r.rank0Writes(), train))
		},
	},
}

// checkpoint is a pause in which all copy, a share of the GPUs write, and the others spin until these are done.
func (r *rig) checkpoint(share float64) does {
	return func(at time.Duration, gpu int) Work {
		switch {
		case at < 12*sec:
			return saving
		case unit(uint64(gpu), 3) < share:
			return writing
		}
		return spin
	}
}

// rank0Writes is a pause in which rank 0 copies and writes, and the others spin.
func (r *rig) rank0Writes() does {
	return only(sequence(part{20 * sec, saving}, part{0, writing}), spin, 0)
}

// stages are GPUs with these utilizations.
func (r *rig) stages(utils ...float64) Program {
	works := make([]Work, len(utils))
	for i, u := range utils {
		works[i] = mix(ready, train, u/98)
	}
	return each(works...)
}

// starting is a program that begins: processes start one after the other, load, compile, and then work.
func (r *rig) starting(lasts time.Duration, then Program) does {
	return func(at time.Duration, gpu int) Work {
		switch begin := 20*sec + time.Duration(10*unit(uint64(gpu), 9)*float64(sec)); {
		case at < begin:
			return resting
		case at < lasts/2:
			return loading
		case at < lasts:
			return mix(ready, alone, unit(uint64(gpu), uint64(at/(4*sec)))*0.3)
		}
		return then.at(at, gpu)
	}
}
