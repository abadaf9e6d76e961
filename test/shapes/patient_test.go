package shapes

import "time"

// twoPauses are pauses of this length after half an hour and after 85 minutes.
func twoPauses(lasts time.Duration) times {
	return during(span{30 * mins, 30*mins + lasts}, span{85 * mins, 85*mins + lasts})
}

// during changes processes on one GPU in some spans.
func (p Processes) during(gpu int, when times, change func(*Process)) Processes {
	spans := when(nil)
	return p.with(func(p *Process, at time.Duration, g int) {
		if _, in := within(spans, at); in && g == gpu {
			change(p)
		}
	})
}

// stage is a GPU of a pipeline that waits for a part of the time.
func stage(w Work, waits float64) Work {
	return mix(w, spin.using(w.Used), waits).with(func(s *Work) { s.NVLink, s.Net = w.NVLink, w.Net })
}

// Healthy jobs that wait for long for one of them, are seldom looked at, or have GPUs that always differ.
var patience = []Shape{
	{Name: "e01 saves alone", About: "rank 0 writes 0.4 GB/s for 11 min, 7 GPUs spin",
		Does: pauses(twoPauses(11*mins), only(sequence(part{20 * sec, saving}, part{0, writes(0.4)}), spin, 0), train),
		Runs: torchrun.during(0, twoPauses(11*mins), func(p *Process) { p.CPU, p.CPUs, p.Write = 40, "0-15", 400*mega })},
	{Name: "e02 saves while others idle", Nodes: 2, Runs: mpirun("solver").during(0, twoPauses(12*mins),
		func(p *Process) { p.CPUs, p.Write = "0-15", 500*mega }),
		About: "rank 0 writes 0.5 GB/s for 12 min, and no GPU works",
		Does:  pauses(twoPauses(12*mins), only(writes(0.5), ready, 0), train)},
	{Name: "e03 a node evaluates", Nodes: 4, About: "the GPUs of one of 4 nodes evaluate for 12 min, the others spin",
		Does: pauses(twoPauses(12*mins), only(alone, spin, node(0)...), train)},
	{Name: "e04 tokenizes the next part", Nodes: 2,
		About: "rank 0 reads text at 25 MB/s and tokenizes it for 13 min, the others spin",
		Does:  pauses(twoPauses(13*mins), only(ready, spin, 0), train),
		Runs:  torchrun.during(0, twoPauses(13*mins), func(p *Process) { p.CPUs, p.Read = "0-15", 25*mega })},
	{Name: "e05 light evaluation", Nodes: 2, About: "rank 0 evaluates for 12 min at 35%, the others spin",
		Does: pauses(twoPauses(12*mins), only(wobbling(105, 9*sec, 0.3, mix(ready, alone, 0.42)), spin, 0), train)},
	{Name: "e06 evaluation and scoring", About: "rank 0 generates for 20 s and scores on its CPU for 20 s, for 11 min",
		Does: pauses(twoPauses(11*mins), only(cycle(part{20 * sec, decode}, part{20 * sec, ready}), spin, 0), train)},
	{Name: "e07 another rank writes", Nodes: 2, About: "rank 11 writes 0.5 GB/s for 10 min, the others spin",
		Does: pauses(twoPauses(10*mins), only(sequence(part{20 * sec, saving}, part{0, writes(0.5)}), spin, 11), train)},
	{Name: "e08 one of 2 evaluates", GPUs: 2, About: "rank 0 of 2 evaluates for 11 min, rank 1 spins",
		Does: pauses(twoPauses(11*mins), only(alone.light(450), spin, 0), train)},
	{Name: "e09 dense stage of 2", GPUs: 2, About: "2 stages: one at the power limit, 1,180 MHz; the other waits",
		Does: split(1, stage(train.with(func(w *Work) { w.Power, w.Clock, w.Memory = 696, 1180, 30 }), 0),
			stage(train.light(480), 0.3))},
	{Name: "e10 memory and power", GPUs: 2, About: "one of 2 GPUs is memory-bound at 320 W, the other at the limit",
		Does: split(1, train.with(func(w *Work) { w.Power, w.Clock, w.Memory = 320, 1980, 88 }),
			train.with(func(w *Work) { w.Power, w.Clock, w.Memory = 694, 1300, 22 }))},
	{Name: "e11 light stage of 2", GPUs: 2, About: "2 light stages: the first has 62% of the work, and waits on its CPU",
		Does: split(1, mix(train.light(420), ready, 0.38).with(func(w *Work) { w.NVLink = train.NVLink }),
			train.light(420))},
	{Name: "e12 three stages", GPUs: 3, About: "3 stages with 100, 80 and 55% of the work, as always",
		Does: split(1, train, split(2, stage(train, 0.2), stage(train, 0.45)))},
	{Name: "e13 short evaluations, seldom seen", Nodes: 2, Poll: 45 * sec,
		About: "rank 0 evaluates for 40 s every 3 min; nodes report every 45 s",
		Does:  pauses(every(3*mins, 40*sec), rank0Evaluates, train)},
	{Name: "e14 very seldom seen", Nodes: 2, Poll: 120 * sec, Length: 4 * time.Hour,
		About: "training with checkpoints and evaluations; nodes report every 2 min",
		Does:  pauses(every(21*mins, 90*sec), rank0Evaluates, saves(17*mins, 60*sec, train))},
	{Name: "e15 once a minute", Nodes: 2, Poll: 60 * sec, Length: 4 * time.Hour,
		About: "a loader pauses each rank for 20 s in turns; nodes report every minute",
		Does: where(func(at time.Duration, g int) bool {
			return at%(4*mins) < 20*sec && int(at/(4*mins))%16 == g
		}, ready, train)},
	{Name: "e16 seldom seen stalls", Nodes: 4, Poll: 30 * sec,
		About: "reads stall for 25 s each 90 s, for each node at another time; the others spin",
		Does: where(func(at time.Duration, g int) bool {
			return at%(90*sec) < 25*sec && int(at/(90*sec))%4 == g/8
		}, ready, where(func(at time.Duration, _ int) bool { return at%(90*sec) < 25*sec }, spin, train))},
	{Name: "e17 unequal models on a node", Runs: twice, About: "two models on 4 GPUs each: 98% at 610 W, 68% at 350 W",
		Does: split(4, train, wobbling(117, 20*sec, 0.1, mix(ready, train.light(480), 0.7)))},
	{Name: "e18 two teachers", About: "2 GPUs infer at 50 to 75%, within 4 min, for 6 that learn",
		Does: split(2, wobbling(118, 4*mins, 0.35, teacher.busy(75)), train)},
	{Name: "e19 unlike in hidden nodes", Nodes: 2,
		About: "loads of 16 GPUs between 75 and 100% wander within 5 min, all in step",
		Does:  inAll(loads(119, 5*mins, 0.75))},
	{Name: "e20 shorter steps for some", Nodes: 4,
		About: "loads between 70 and 100% for each node, which change each 10 min",
		Does: inAll(func(at time.Duration, g int) cost {
			return cost{0.7 + 0.3*unit(120, uint64(g/8), uint64(at/(10*mins))), more}
		})},
	{Name: "e21 restart after a hang", Nodes: 2, Allowed: stops,
		About: "a node stands for 9 min in a lock of the file system, the others spin; then all go on, twice",
		Does:  pauses(twoPauses(9*mins), only(ready, spin, node(1)...), train)},
}

// Faults of the same kinds.
var patienceFaults = []Shape{
	{Name: "k01 five of 8 stand", About: "a deadlock: 5 of 8 GPUs stand, 3 spin", Does: stopped(split(3, spin, ready)),
		Runs: torchrun.cpu(onset, 0, gpus(3, 8)...), Want: []Want{stands(0, anywhere)}},
	{Name: "k02 evaluates for ever", Nodes: 2, About: "rank 0 evaluates and does not come back, the others spin",
		Does: stopped(rank0Evaluates), Want: []Want{says(kinds("lag"), 0, 0, onset, 18*mins)}},
	{Name: "k03 clock of two before", GPUs: 2, On: l40s,
		About: "one of 2 GPUs without NVLink has clocked at 0.55 since before",
		Does:  atFirst(these(1.8, clock, 0)), Want: []Want{slowed(0, 0, patient).before()}},
	{Name: "k04 clock of 3 before", GPUs: 3, About: "one of 3 GPUs has clocked at 0.6 since before the watch",
		Does: atFirst(these(1.66, clock, 2)), Want: []Want{slowed(0, 2, patient).before()}},
	{Name: "k05 seldom looked at", Nodes: 2, Poll: 45 * sec, About: "one GPU clocks at 0.5; reports every 45 s",
		Does: atOnset(these(2, clock, 9)), Want: []Want{slowed(1, 1, patient)}},
	{Name: "k06 hang, seldom looked at", Nodes: 2, Poll: 30 * sec, About: "one GPU stands, 15 spin; reports every 30 s",
		Does: stopped(only(ready, spin, 9)), Runs: torchrun.cpu(onset, 0, 9),
		Want: []Want{says(stops, 1, 1, onset, 5*mins)}},
	{Name: "k07 a node and more stand", Nodes: 3, About: "the GPUs of one of 3 nodes and 4 others stand, 12 spin",
		Does: stopped(only(ready, spin, gpus(12, 24)...)), Runs: torchrun.cpu(onset, 0, gpus(12, 24)...),
		Want: []Want{stands(2, anywhere)}},
	{Name: "k08 never done writing", Nodes: 2, About: "rank 0 writes 0.4 GB/s for ever, the others spin",
		Does: stopped(only(writes(0.4), spin, 0)), Want: []Want{says(stops, 0, 0, onset, 18*mins)}},
	{Name: "k09 slow with 3 on PCIe", GPUs: 3, On: l40s, About: "one of 3 GPUs without NVLink clocks at 0.6",
		Does: atOnset(these(1.66, clock, 1)), Want: []Want{slowed(0, 1, patient)}},
	{Name: "k10 recovers in part", Nodes: 2, About: "one GPU clocks at 0.7 for 9 min, then at 0.96",
		Does: slower(from(onset+9*mins, only(clocked(0.7), waits(0.3), 2), only(clocked(0.96), waits(0.04), 2))),
		Want: []Want{slowed(0, 2, patient).until(onset + 9*mins)}},
}
