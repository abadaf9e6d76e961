package shapes

import "time"

// Faults of whole jobs and nodes that no comparison of GPUs shows, and faults that come and go.
var pastFaults = []Shape{
	{Name: "x01 fallback of 4 GPUs", GPUs: 4, About: "NVLink of a node of 4 GPUs falls back to PCIe: 12 GB/s, 380 W",
		Does: from(onset, train, fellBack(train).with(func(w *Work) { w.Power, w.TX, w.RX = 380, 12*giga, 12*giga })),
		Want: []Want{says(noLink, 0, anywhere, onset, patient)}},
	{Name: "x02 fallback since before", Nodes: 2, On: a100, Runs: srun("python"),
		About: "NVLink of both nodes has carried nothing since before the watch began, in the jobs of srun too",
		Does:  fellBack(train).with(func(w *Work) { w.TX, w.RX = 9*giga, 9*giga }),
		Want:  []Want{says(noLink, anywhere, anywhere, 0, patient)}},
	{Name: "x03 slow steps of few", GPUs: 2, About: "both GPUs clock at 0.8: steps take 1.25x",
		Does: from(onset, train, clocked(0.8)), Want: []Want{says(slowStep, anywhere, anywhere, onset, 8*mins).mildly()}},
	{Name: "x04 slow alone", GPUs: 1, Runs: programs("python"),
		About: "the only GPU clocks at 0.75: a lower power limit",
		Does: from(onset, alone, alone.with(func(w *Work) {
			w.Clock, w.Power, w.Memory, w.RX, w.TX = 1260, 430, 41, 187*mega, 30*mega
		})), Want: []Want{says(slowStep, anywhere, anywhere, onset, 8*mins).mildly()}},
	{Name: "x05 slow switch", Nodes: 4, Runs: srun("python"),
		About: "the network slows down: steps take 1.3x, with checkpoints",
		Does:  saves(9*mins, 40*sec, from(onset, train, inStep(train, 32, these(1.3, link, gpus(0, 32)...)))),
		Want:  []Want{says(slowStep, anywhere, anywhere, onset, 12*mins).mildly()}},
	{Name: "x06 slow storage, again", Nodes: 2, About: "all loaders wait for the storage for 15 min: steps take 1.4x",
		Does: from(onset, train, from(onset+15*mins, doing(0.7, train), train)),
		Want: []Want{says(slowStep, anywhere, anywhere, onset, 8*mins).mildly().until(onset + 18*mins)}},
	{Name: "x10 heat, again and again", About: "a GPU clocks at 0.55 for 25 s of each 75",
		Does: from(onset, inAll(even), cycle(part{25 * sec, inAll(these(1.8, clock, 3))}, part{50 * sec, inAll(even)})),
		Want: []Want{slowed(0, 3, 12*mins)}},
	{Name: "x11 shared CPUs", Nodes: 2, About: "another job takes the CPUs of a rank for 20 s of each 90",
		Does: from(onset, inAll(even), cycle(part{20 * sec, inAll(these(4, host, 6))}, part{70 * sec, inAll(even)})),
		Want: []Want{slowed(0, 6, 12*mins)}},
	{Name: "x20 stall after checkpoints", Nodes: 2, About: "the storage stalls for 4 min; checkpoints take 70 s",
		Does: pauses(during(span{70 * mins, 74 * mins}), ready, saves(12*mins, 70*sec, train)), Length: 100 * mins,
		Want: []Want{says(kinds("stalled"), anywhere, anywhere, 74*mins, mins).mildly()}, Allowed: kinds("job_idle")},
	{Name: "x21 stall of spinning GPUs", Nodes: 2, About: "3 loaders stall for 100 s once, the other GPUs spin",
		Does: pauses(during(span{65 * mins, 65*mins + 100*sec}), only(ready, spin, 1, 5, 9), train), Length: 90 * mins,
		Want:    []Want{says(kinds("stalled"), anywhere, anywhere, 65*mins+100*sec, mins).mildly()},
		Allowed: kinds("job_idle", "job_hang")},
	{Name: "x30 fast leak", GPUs: 4, About: "all ranks leak 1.2 GiB a minute",
		Does: does(func(at time.Duration, _ int) Work {
			return train.using(min(79.8, 30+1.2*max(at-onset, 0).Minutes()))
		}), Want: []Want{says(kinds("gpu_memory_full"), 0, anywhere, onset, 41*mins).mildly()}},
}
