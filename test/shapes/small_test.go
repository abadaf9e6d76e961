package shapes

import (
	"time"
)

// Healthy jobs of one, two and three GPUs.
var small = []Shape{
	{Name: "s01 two", GPUs: 2, About: "data-parallel training on 2 GPUs, a checkpoint every 20 min",
		Does: saves(20*mins, 40*sec, train)},
	{Name: "s02 uneven two", GPUs: 2, About: "a pipeline of 2 stages: the second has 70% of the work, and spins",
		Does: inAll(func(_ time.Duration, g int) cost { return cost{1 - 0.3*float64(g), more} })},
	{Name: "s03 draft and target", GPUs: 2, Runs: programs("VLLM::Worker"),
		About: "a draft model at 35% on one of 2 GPUs, with traffic over NVLink", Does: split(1, drafting, decode)},
	{Name: "s04 two alone", GPUs: 2, Runs: programs("python"),
		About: "2 programs on GPUs with idle NVLink: one starts a smaller model after half an hour",
		Does:  only(from(30*mins, alone, mix(alone, ready, 0.7)), alone, 1)},
	{Name: "s05 three", GPUs: 3, About: "tensor-parallel on 3 GPUs: the last has 15% less to do",
		Does: saves(20*mins, 40*sec, inAll(these(0.85, more, 2)))},
	{Name: "s06 two nodes", Nodes: 2, GPUs: 1, About: "2 nodes with one GPU each, in step; rank 0 saves alone",
		Does: pauses(every(20*mins, 50*sec), rank0Writes, train)},
	{Name: "s07 actor and learner", GPUs: 2, Runs: programs("python"),
		About: "one GPU learns, the other acts at 40%, and fetches weights over NVLink",
		Does:  split(1, train.light(460), wobbling(7, 15*sec, 0.3, acting))},
	{Name: "s08 turns", GPUs: 2, About: "2 GPUs take turns: one generates for 50 s while the other spins, and back",
		Does: cycle(part{50 * sec, split(1, decode, spin)}, part{40 * sec, split(1, spin, train)})},
	{Name: "s09 half an hour of phases", GPUs: 2,
		About: "both train for 30 min; then the second distils at 60% and 300 W, and still exchanges data",
		Does: from(30*mins, train, split(1, train, Work{Util: 60, Memory: 30, Power: 300, Clock: 1980,
			NVLink: 40 * giga, Used: 50}))},
	{Name: "s10 one", GPUs: 1, About: "training on one GPU, with an evaluation of 3 min at lower power",
		Does: pauses(every(20*mins, 3*mins), alone.light(420), alone), Runs: programs("python")},
	{Name: "s11 one serves", GPUs: 1, About: "a server on one GPU: clocks fall to 345 MHz between requests",
		Does: pauses(bursts(20*sec, 90*sec), decode, resting.using(70).with(func(w *Work) { w.Util = 1 })),
		Runs: programs("VLLM::Worker")},
	{Name: "s12 one, trickle", GPUs: 1, About: "a light desktop use at 20% and 345 MHz: the driver saves power",
		Does: Work{Util: 20, Memory: 6, Power: 85, Clock: 345, Used: 4}, Runs: programs("python")},
	{Name: "s13 one, power limit", GPUs: 1, About: "the work grows, the power limit takes the clock from 1,900 to 1,200",
		Does: from(40*mins, alone.light(500), alone.with(func(w *Work) { w.Power, w.Clock = 698, 1200 })),
		Runs: programs("python")},
	{Name: "s14 one, small kernels", GPUs: 1, About: "dense work, then small kernels: 100% at 200 W, little memory",
		Does: from(40*mins, alone, Work{Util: 100, Memory: 8, Power: 200, Clock: 1980, Used: 30}),
		Runs: programs("python")},
	{Name: "s15 one, set clock", GPUs: 1, About: "the user has set the clock to 990 MHz, as always",
		Does: alone.with(func(w *Work) { w.Clock, w.Power, w.Throttle = 990, 300, 0x2 }), Runs: programs("python")},
	{Name: "s16 one, memory-bound", GPUs: 1, About: "a memory-bound code whose passes differ: 95 to 60%, 300 to 450 W",
		Does: cycle(part{4 * mins, alone.light(450).with(func(w *Work) { w.Memory = 60 })},
			part{3 * mins, alone.light(300).with(func(w *Work) { w.Memory = 95 })}), Runs: programs("python")},
	{Name: "s17 one, jumps", GPUs: 1, About: "a boost that jumps between 1,980 and 1,600 MHz with the power",
		Does: cycle(part{50 * sec, alone}, part{35 * sec, alone.light(400)}, part{20 * sec, ready}),
		Runs: programs("python")},
}

// Slow GPUs in jobs of one, two and three.
var smallFaults = []Shape{
	{Name: "p01 starved one of 2", GPUs: 2, About: "the loader of one of 2 ranks takes 4 times as long, the other spins",
		Does: atOnset(these(4, host, 1)), Want: []Want{slowed(0, 1, patient)}},
	{Name: "p02 clock of one of 2", GPUs: 2, About: "one of 2 GPUs clocks at 0.45", Does: atOnset(these(2.2, clock, 1)),
		Want: []Want{slowed(0, 1, patient)}},
	{Name: "p03 one of 2, no cause", GPUs: 2, About: "one of 2 GPUs takes twice as long at full clocks and power",
		Does: atOnset(these(2, unseen, 0)), Want: []Want{slowed(0, 0, patient)}},
	{Name: "p04 one of 2 before", GPUs: 2, About: "one of 2 GPUs has clocked at 0.6 since before the watch began",
		Does: atFirst(these(1.66, clock, 1)), Want: []Want{slowed(0, 1, patient).before()}},
	{Name: "p05 two nodes", Nodes: 2, GPUs: 1, About: "2 nodes with one GPU each: one has a slow host, 3 times as long",
		Does: atOnset(these(3, host, 1)), Want: []Want{slowed(1, 0, patient)}},
	{Name: "p06 one of 3", GPUs: 3, About: "one of 3 GPUs is starved: 4 times as long",
		Does: atOnset(these(4, host, 2)), Want: []Want{slowed(0, 2, patient)}},
	{Name: "p07 two on PCIe", GPUs: 2, On: l40s, About: "one of 2 GPUs without NVLink clocks at 0.55",
		Does: atOnset(these(1.8, clock, 1)), Want: []Want{slowed(0, 1, patient)}},
	{Name: "p08 two, light", GPUs: 2, About: "a light training: one of 2 GPUs clocks at 0.5",
		Does: from(onset, train.light(400), trainsIn(train.light(400), these(2, clock, 1))),
		Want: []Want{slowed(0, 1, patient)}},
	{Name: "p09 two, by a third", GPUs: 2, About: "one of 2 GPUs clocks at 0.75", Does: atOnset(these(1.33, clock, 0)),
		Want: []Want{slowed(0, 0, patient)}},
	{Name: "p10 three nodes", Nodes: 3, GPUs: 1, About: "3 nodes with one GPU each: one clocks at 0.5",
		Does: atOnset(these(2, clock, 1)), Want: []Want{slowed(1, 0, patient)}},
	{Name: "p15 two, hot wait", GPUs: 2, About: "one of 2 ranks is starved; the other spins at 300 W, as some kernels do",
		Does: from(onset, train, only(mix(ready, train, 0.25).drawing(215), waits(0.75).drawing(300), 1)),
		Want: []Want{slowed(0, 1, patient)}},
	{Name: "p16 two, 1.6x before", GPUs: 2, About: "one of 2 ranks is starved by 1.6x since before; the other at 480 W",
		Does: only(mix(ready, train, 0.62), waits(0.38).drawing(520), 0), Want: []Want{slowed(0, 0, patient).before()}},
	{Name: "p11 stuck clock", GPUs: 1, Runs: programs("python"),
		About: "the only GPU falls to 345 MHz at 100%, and the driver names no reason",
		Does:  from(onset, alone, stuck), Want: []Want{says(lowClock, 0, 0, onset, patient)}},
	{Name: "p12 stuck before", GPUs: 1, Runs: programs("python"), About: "the same since before the watch began",
		Does: stuck, Want: []Want{says(lowClock, 0, 0, 0, patient)}},
	{Name: "p13 half a clock", GPUs: 1, Runs: programs("python"),
		About: "the only GPU falls from 1,680 to 840 MHz at 100%, for no reason",
		Does:  from(onset, alone, alone.busy(100).with(func(w *Work) { w.Clock, w.Power, w.Memory = 840, 260, 28 })),
		Want:  []Want{says(lowClock, 0, 0, onset, 12*mins)}},
	{Name: "p14 all stuck", GPUs: 4, About: "all 4 GPUs of a job are at 345 MHz since before the watch began",
		Does: stuck.with(func(w *Work) { w.NVLink = 9 * giga }), Want: []Want{says(lowClock, 0, anywhere, 0, patient)}},
}

var (
	// stuck is a GPU whose clock does not rise.
	stuck = alone.with(func(w *Work) { w.Util, w.Clock, w.Power, w.Memory = 100, 345, 130, 11 })

	lowClock = kinds("low_clock")
)
