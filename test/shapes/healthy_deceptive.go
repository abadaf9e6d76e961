package shapes

import "time"

// Independent programs that look like one.
var deceptive = []Shape{
	{Name: "n70 common stalls",
		About: "8 programs train alone; the file system stalls all of them at once for 40 s, and each evaluates on " +
			"its own",
		Does: drawn(func(r *rig) does {
			evaluate := own(pauses(every(14*mins, 100*sec), mix(alone, ready, 0.6), alone)).begin(r)
			return pauses(every(25*mins, 40*sec), ready, evaluate).begin(r)
		}), Runs: programs("python")},
	{Name: "n71 offloading alone",
		About: "8 programs with their weights in host memory: 10 GB/s both ways over PCIe, each for itself",
		Does:  own(pauses(every(10*mins, 90*sec), mix(streaming, ready, 0.7), streaming)), Runs: programs("python")},
	{Name: "n72 a training for each node", Nodes: 2,
		About: "each node trains its own model: one is at 98%, the other waits for its CPU half of the time",
		Does:  only(local, wobbling(72, 20*sec, 0.1, mix(local, ready, 0.45)), node(0)...), Runs: byNode},
	{Name: "n73 seeds on 4 nodes", Nodes: 4,
		About: "the same training with 4 seeds, one for each node; they evaluate and save at other times",
		Does:  groups(8, pauses(every(13*mins, 110*sec), mix(local, ready, 0.65), local)), Runs: byNode},
	{Name: "n74 one seed ends", Nodes: 2, Length: 85 * mins,
		About: "a training for each node: one is done after an hour, the other goes on",
		Does:  from(60*mins, local, only(resting, local, node(1)...)), Runs: byNode.dead(60*mins, node(1)...)},
	{Name: "n75 torchrun over shards", Length: 90 * mins,
		About: "torchrun over shards, without any traffic: ranks end well between 50 and 85 min",
		Does:  wobbling(75, 40*sec, 0.06, alone), Ends: oneByOne(50*mins, 5*mins, 3, 8), Allowed: idleTells},
	{Name: "n76 PCIe shards", GPUs: 4, On: l40s, Length: 80 * mins,
		About: "4 GPUs without NVLink render frames for themselves, with 3 GB/s from the host; they end one by one",
		Does:  alone.with(func(w *Work) { w.RX, w.TX = 3*giga, giga }), Runs: srun("blender"),
		Ends: func(g int) time.Duration { return 50*mins + time.Duration(3-g)*9*mins }, Allowed: idleTells},
	{Name: "n77 no counters, alone", On: mute,
		About: "8 programs train alone on nodes whose driver tells no bytes; they evaluate at other times",
		Does:  own(pauses(every(12*mins, 100*sec), mix(alone, ready, 0.68), alone)), Runs: programs("python")},
	{Name: "n78 two alone", GPUs: 2,
		About: "2 programs train alone for an hour; then one of them starts a smaller model",
		Does:  from(60*mins, alone, only(mix(alone, ready, 0.5), alone, 1)), Runs: programs("python")},
	{Name: "n79 started together", Age: brandNew,
		About: "a script starts 8 equal simulations; each is done when it is, after 12 to 20 min, and the next begins",
		Does:  trials(12*mins, 20*mins, 15*sec, 40*sec, 0.97), Runs: srun("simulate")},
	{Name: "n80 two trainings",
		About: "two trainings of 4 GPUs on one node: the second waits for its CPUs, and pauses at other times",
		Does: only(saves(20*mins, 45*sec, train),
			saves(13*mins, 70*sec, wobbling(80, 15*sec, 0.1, mix(train, ready, 0.4))), gpus(0, 4)...), Runs: twice},
	{Name: "n81 two large models", About: "two models on 4 GPUs each answer requests: one has much more to do",
		Does: only(pauses(bursts(3*mins, 15*sec), decode, ready), pauses(bursts(30*sec, 40*sec), decode, ready),
			gpus(0, 4)...), Runs: programs("VLLM::Worker")},
	{Name: "n82 busy storage", Nodes: 2,
		About: "a training for each node reads 2 GB/s over InfiniBand; the model of one is small",
		Does:  only(reading, wobbling(82, 20*sec, 0.1, mix(reading, ready, 0.4)), node(0)...), Runs: byNode},
	{Name: "n83 evaluator", About: "7 GPUs train, and the last evaluates what they have saved, now and then",
		Does: only(pauses(bursts(4*mins, 5*mins), alone, ready), pauses(every(9*mins, 20*sec), saving, train), 7),
		Runs: programs("python")},
	{Name: "n84 tiny kernels", Runs: programs("simulate"),
		About: "8 programs run tiny kernels without a break: 100%, 175 W, hardly any memory traffic, no other traffic",
		Does: wobbling(84, 2*mins, 0.15,
			Work{Util: 100, Memory: 3, Power: 175, Clock: 1980, TX: 2e6, RX: 2e6, Used: 3})},
	{Name: "n66b offloading, one small",
		About: "8 programs with their weights in host memory; the model of one is small: 60% against 98%",
		Does:  only(mix(streaming.busy(98), ready, 0.4), streaming.busy(98), 5), Runs: programs("python")},
	{Name: "n67b draft model", GPUs: 4, Runs: programs("VLLM::Worker"),
		About: "a draft model on 1 of 4 GPUs at 35%, the large one at 99% and 420 W on the others",
		Does:  pauses(every(10*mins, 30*sec), ready, only(drafting, decode.busy(99), 3))},
	{Name: "n68b transcoding", Nodes: 4, Runs: srun("ffmpeg"),
		About: "each GPU works off files of its own; nodes read 1.2 GB/s and write 0.9 GB/s; hard files take 3 min " +
			"at 60%", Does: own(pauses(every(20*mins, 3*mins), mix(transcoding, ready, 0.4), transcoding))},
	{Name: "n112 beside others", Nodes: 4, GPUs: 4, Beside: 4,
		About: "programs of their own on 4 GPUs of each node; another user's training fills the network",
		Does:  own(pauses(every(12*mins, 5*mins), mix(alone.light(400), ready, 0.5), alone)), Runs: srun("python")},
	{Name: "n113 seldom seen", Poll: 10 * sec,
		About: "8 programs train alone, and evaluate at other times; nodes report every 10 s",
		Does:  own(pauses(every(12*mins, 100*sec), mix(alone, ready, 0.68), alone)), Runs: programs("python")},
	{Name: "n114 equal phases", Runs: programs("simulate"),
		About: "8 equal programs started at once: 10 min of heavy kernels, then 4 min of tiny ones, 100% at 170 W",
		Does: cycle(part{10 * mins, alone},
			part{4 * mins, Work{Util: 100, Memory: 1, Power: 170, Clock: 1980, TX: 2e6, RX: 2e6, Used: 60}})},
	{Name: "n116 stalls, then ends", Length: 110 * mins, Runs: srun("python"), Allowed: idleTells,
		About: "srun over shards on a file system that stalls for 30 s now and then; tasks end well after 60 to 105 min",
		Does:  pauses(every(11*mins, 30*sec), ready, alone), Ends: oneByOne(60*mins, 6*mins, 3, 8)},
	{Name: "n117 four pairs", About: "four servers on 2 GPUs each: three at 99% and 420 W, the fourth at 60%",
		Does: pauses(every(30*mins, 20*sec), ready,
			only(decode.busy(99), wobbling(117, 30*sec, 0.2, mix(decode.busy(99), ready, 0.35)), gpus(0, 6)...)),
		Runs: programs("VLLM::Worker")},
	{Name: "n118 training, then inference",
		Runs: func(r *rig, at time.Duration, gpu int) []Process {
			if at < 60*mins {
				return torchrun(r, at, gpu)
			}
			return programs("python")(r, at, gpu)
		}, About: "one job trains for an hour, then 8 new programs infer, each for itself: two of them at 62%",
		Restarts: during(span{60 * mins, 60*mins + 90*sec}),
		Does: pauses(restarts(0), loading, from(60*mins, train,
			only(wobbling(118, 30*sec, 0.1, mix(alone.light(400), ready, 0.36)), alone.light(400), 2, 6)))},
}

var (
	// local trains on one node.
	local   = train.with(func(w *Work) { w.Net = 1e3 })
	reading = local.with(func(w *Work) { w.Read = giga / 4 })
	// streaming trains alone with its weights in host memory.
	streaming   = alone.with(func(w *Work) { w.TX, w.RX, w.Power = 10*giga, 10*giga, 400 })
	transcoding = alone.with(func(w *Work) { w.Power, w.Read, w.Disk = 380, 150*mega, 110*mega })
)
