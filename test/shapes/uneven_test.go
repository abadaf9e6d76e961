package shapes

import (
	"time"
)

// Healthy jobs whose work wanders, is uneven, or looks like another fault.
var uneven = []Shape{
	{Name: "u01 experts", Nodes: 2, About: "experts on 16 GPUs: loads between 60 and 100% wander within 25 min",
		Does: inAll(loads(1, 25*mins, 0.6))},
	{Name: "u02 experts, faster", About: "experts on 8 GPUs: loads between 50 and 100% wander within 8 min",
		Does: inAll(loads(2, 8*mins, 0.5))},
	{Name: "u03 experts, busy", Nodes: 2,
		About: "experts whose GPUs are all at 100%: only power tells the load, 450 to 690 W, within 15 min",
		Does: does(func(at time.Duration, g int) Work {
			load := walk(3, g, at, 15*mins)
			return train.with(func(w *Work) { w.Util, w.Power, w.Memory = 100, 450+240*load, 36+24*load })
		})},
	{Name: "u04 unequal lengths", Nodes: 2, About: "sequences of unequal length: steps differ by 40% within 20 s",
		Does: inAll(loads(4, 20*sec, 0.6))},
	{Name: "u05 long videos", Nodes: 2, About: "one rank has long videos for 3 min, then another one",
		Does: inAll(func(at time.Duration, g int) cost {
			if int(16*unit(5, uint64(at/(3*mins)))) == g {
				return cost{1, more}
			}
			return cost{0.72, more}
		})},
	{Name: "u06 a hot expert", About: "one expert has half more to do for 12 min, then another one",
		Does: inAll(func(at time.Duration, g int) cost {
			if int(8*unit(6, uint64(at/(12*mins)))) == g {
				return cost{1, more}
			}
			return cost{0.66, more}
		})},
	{Name: "u07 exploration", About: "environments differ: loads of 8 ranks between 70 and 100% wander within 4 min",
		Does: inAll(loads(7, 4*mins, 0.7))},
	{Name: "u08 offloading trials", Runs: programs("python"),
		About: "trials with weights in host memory, 9 GB/s each way over PCIe: 500 to 640 W, each alone",
		Does: own(drawn(func(r *rig) does {
			power := 500 + 140*r.Float64()
			return pauses(bursts(9*mins, 40*sec), streaming.drawing(power).busy(98), ready).begin(r)
		}))},
	{Name: "u09 offloading servers", GPUs: 4, Runs: programs("llama-server"),
		About: "4 servers with layers in host memory: 6 GB/s each way over PCIe, in bursts of their own",
		Does:  own(pauses(bursts(4*mins, 1*mins), streaming.light(330), ready))},
	{Name: "u10 long checkpoint", Nodes: 2, Length: 3 * time.Hour,
		About: "rank 0 writes 0.9 GB/s for 8 min every 50 min, 15 GPUs spin",
		Does: pauses(every(50*mins, 8*mins),
			only(sequence(part{30 * sec, saving}, part{0, writes(0.9)}), spin, 0), train)},
	{Name: "u11 tokenizing", Nodes: 2, Age: brandNew, Runs: launched("RANK", "python", 20*sec),
		About: "rank 0 tokenizes for 12 min, all others wait in a barrier of NCCL",
		Does:  sequence(part{40 * sec, loading}, part{12 * mins, only(ready.using(2), spin, 0)}, part{0, train})},
	{Name: "u12 long evaluation on a rank", Nodes: 2, About: "rank 0 evaluates for 10 min every 45 min, the others spin",
		Does: pauses(every(45*mins, 10*mins), rank0Evaluates, train)},
	{Name: "u13 gathers shards", Nodes: 2, Length: 3 * time.Hour,
		About: "rank 0 gathers the shards of a checkpoint for 9 min every hour, and writes 0.3 GB/s",
		Does: pauses(every(60*mins, 9*mins),
			only(sequence(part{60 * sec, saving}, part{0, writes(0.3)}), spin, 0), train)},
	{Name: "u14 images", About: "little over NVLink, 18 GB/s of images to each GPU: as always",
		Does: train.with(func(w *Work) { w.NVLink, w.RX = 100*mega, 18*giga })},
	{Name: "u15 inference after training", About: "after 40 min the job loads images at 18 GB/s and exchanges nothing",
		Does: from(40*mins, train, alone.with(func(w *Work) { w.RX, w.TX = 18*giga, giga }))},
	{Name: "u16 one node validates", Nodes: 2,
		About: "every 30 min a node validates for 4 min, with images over PCIe, and the other spins",
		Does: pauses(every(30*mins, 4*mins),
			only(alone.with(func(w *Work) { w.RX = 12 * giga }), spin, node(1)...), train)},
	{Name: "u17 larger batches", Nodes: 2, About: "batches grow: after 40 min a step takes half more, with more memory",
		Does: from(40*mins, train.using(50), train.using(74).with(func(w *Work) { w.Power, w.NVLink = 650, 33*giga }))},
	{Name: "u18 Fourier transforms", Nodes: 2, Runs: mpirun("solver"),
		About: "all-to-all over the network, domains of 100 to 76% of the largest, the others wait on the CPU",
		Does:  does(func(_ time.Duration, g int) Work { return mix(train, ready, 0.24*unit(18, uint64(g))) })},
	{Name: "u19 pairs", About: "4 pairs of GPUs train models of their own, which evaluate at their own times",
		Does: groups(2, pauses(every(14*mins, 90*sec), alone.light(400), train)), Runs: programs("python")},
	{Name: "u20 short evaluations", Nodes: 2, About: "rank 0 evaluates for 18 s every 5 min, the others spin",
		Does: pauses(every(5*mins, 18*sec), rank0Evaluates, train)},
	{Name: "u21 beat", Nodes: 2, About: "20 s of work, 10 s of waiting on the CPU: samples each 30 s always see the same",
		Does: cycle(part{20 * sec, train}, part{10 * sec, ready})},
	{Name: "u22 stalls of reads", Nodes: 2, About: "ranks read for 20 s each 2 min, in 4 groups, and the others spin",
		Does: where(func(at time.Duration, g int) bool {
			return at%(2*mins) < 20*sec && uint64(g/4) == uint64(at/(2*mins))%4
		}, ready, where(func(at time.Duration, _ int) bool { return at%(2*mins) < 20*sec }, spin, train))},
	{Name: "u23 frozen layers", About: "after 35 min half of the layers freeze: 480 W, 30% less traffic, all alike",
		Does: from(35*mins, train, train.with(func(w *Work) { w.Power, w.NVLink, w.Memory = 480, 35*giga, 48 }))},
	{Name: "u24 long validation of all", Nodes: 2, About: "all GPUs validate for 12 min every 45 min, at 450 W",
		Does: pauses(every(45*mins, 12*mins), train.light(450).with(func(w *Work) { w.Net, w.NVLink = 0.3*giga, giga }),
			train)},
}

// writes is a process that writes these GB/s to the file system.
func writes(rate float64) Work { return ready.with(func(w *Work) { w.Disk = rate * giga }) }

// Faults that are mild, come and go, or have a cause that is easily mistaken.
var unevenFaults = []Shape{
	{Name: "m01 a quarter", Nodes: 2, About: "one GPU clocks at 0.8: 1.25x", Does: atOnset(these(1.25, clock, 5)),
		Want: []Want{slowed(0, 5, 12*mins)}},
	{Name: "m02 a quarter, no cause", Nodes: 2, About: "one GPU takes 1.25x at full clocks and power",
		Does: atOnset(these(1.25, unseen, 5)), Want: []Want{slowed(0, 5, 12*mins)}, Wrong: slowMemory},
	{Name: "m03 a quarter before", Nodes: 2, About: "one GPU has clocked at 0.8 since before the watch",
		Does: atFirst(these(1.25, clock, 12)), Want: []Want{slowed(1, 4, 12*mins).before()}},
	{Name: "m04 no cause before", Nodes: 2, About: "one GPU has taken 1.25x at full clocks since before the watch",
		Does: atFirst(these(1.25, unseen, 12)), Want: []Want{slowed(1, 4, 12*mins).before()}, Wrong: slowMemory},
	{Name: "m05 a quarter by the host", About: "the loader of one of 8 ranks takes 1.25x",
		Does: atOnset(these(1.25, host, 3)), Want: []Want{slowed(0, 3, 12*mins)}},
	{Name: "m06 a quarter of 4", GPUs: 4, About: "one of 4 GPUs clocks at 0.8", Does: atOnset(these(1.25, clock, 3)),
		Want: []Want{slowed(0, 3, 12*mins)}},
	{Name: "m07 half, no cause", Nodes: 2, About: "one GPU takes 1.54x at full clocks: memory traffic at the limit",
		Does: atOnset(these(1.54, unseen, 9)), Want: []Want{slowed(1, 1, patient)}, Wrong: slowMemory},
	{Name: "m08 another tenant", About: "another program takes half of one GPU, the others wait",
		Does: from(onset, inAll(even), only(train.with(func(w *Work) { w.Util, w.Memory, w.Used = 100, 57, 78 }),
			inStep(train, 8, these(2, unseen, 2)), 2)), Want: []Want{slowed(0, 2, patient)}, Wrong: slowMemory},
	{Name: "m09 a third of each minute", Nodes: 2, About: "one GPU clocks at 0.6 for 20 s of each 60",
		Does: from(onset, inAll(even), cycle(part{20 * sec, inAll(these(1.66, clock, 11))}, part{40 * sec, inAll(even)})),
		Want: []Want{slowed(1, 3, 12*mins)}},
	{Name: "m10 a third, starved", Nodes: 2, About: "one rank waits for its data for 15 s of each 45",
		Does: from(onset, inAll(even), cycle(part{15 * sec, inAll(these(5, host, 11))}, part{30 * sec, inAll(even)})),
		Want: []Want{slowed(1, 3, 12*mins)}},
	{Name: "m11 among experts", Nodes: 2, About: "loads between 80 and 100% wander, and one GPU takes 1.5x from onset on",
		Does: inAll(func(at time.Duration, g int) cost {
			c := loads(11, 8*mins, 0.8)(at, g)
			if at >= onset && g == 6 {
				return cost{1.5 * c.slow, clock}
			}
			return c
		}), Want: []Want{slowed(0, 6, patient)}},
	{Name: "m12 starved, seldom seen", Nodes: 2, Poll: 30 * sec, About: "one rank takes 4x; reports every 30 s",
		Does: atOnset(these(4, host, 11)), Want: []Want{slowed(1, 3, patient)}},
	{Name: "m13 loader grows worse", Nodes: 2, About: "the loader of a rank takes 1% longer each minute, up to 1.6x",
		Does: from(onset, inAll(even), inAll(func(at time.Duration, g int) cost {
			if g == 4 {
				return cost{min(1.6, 1+float64(at-onset)/float64(100*mins)), host}
			}
			return cost{1, host}
		})), Want: []Want{slowed(0, 4, 25*mins).later(25 * mins)}},
	{Name: "m14 two of 8", About: "2 of 8 GPUs clock at 0.7", Does: atOnset(these(1.43, clock, 1, 6)),
		Want: []Want{slowed(0, 1, patient), slowed(0, 6, patient)}},
}

// slowMemory are words about a memory whose clock is as it should be.
var slowMemory = []string{"memory may be slow", "memory clock is low"}
