package shapes

import "time"

// fellBack is a GPU whose peer-to-peer traffic goes over PCIe: a step takes 1.8 times as long.
func fellBack(w Work) Work {
	return w.with(func(w *Work) {
		w.Power, w.Memory, w.NVLink, w.Net = 420, w.Memory/1.8, 0, w.Net/1.8
		w.TX, w.RX = 18*giga, 18*giga
	})
}

var (
	noLink   = kinds("nvlink_unused")
	slowStep = kinds("step_slower")
	fourOf   = func(n int) []int { return gpus(4*n, 4*n+4) }
)

// Faults of links, of whole nodes, and of the job as a whole.
var wholeFaults = []Shape{
	{Name: "w01 fallback of 2 nodes", Nodes: 2, GPUs: 4, About: "NVLink of the second of 2 nodes falls back to PCIe",
		Does: from(onset, train, only(fellBack(train), waits(0.45), fourOf(1)...)),
		Want: []Want{says(noLink, 1, anywhere, onset, patient)}},
	{Name: "w02 fallback of 4 nodes", Nodes: 4, GPUs: 4, About: "NVLink of one of 4 nodes falls back to PCIe",
		Does: from(onset, train, only(fellBack(train), waits(0.45), fourOf(2)...)),
		Want: []Want{says(noLink, 2, anywhere, onset, patient)}},
	{Name: "w03 fallback of a node", About: "NVLink of the only node falls back to PCIe",
		Does: from(onset, train, fellBack(train)), Want: []Want{says(noLink, 0, anywhere, onset, patient)}},
	{Name: "w04 fallback from the start", About: "the same since before the watch began", Does: fellBack(train),
		Want: []Want{says(noLink, 0, anywhere, 0, patient)}},
	{Name: "w05 fallback from the start of 2", Nodes: 2, About: "the same on one of 2 nodes",
		Does: only(fellBack(train), waits(0.45), node(0)...), Want: []Want{says(noLink, 0, anywhere, 0, patient)}},
	{Name: "w06 slow NIC", Nodes: 4, About: "a slow NIC: steps of all nodes take 2.2x",
		Does: from(onset, train, inStep(train, 32, these(2.2, link, gpus(0, 32)...))),
		Want: []Want{says(slowStep, anywhere, anywhere, onset, 8*mins).mildly()}},
	{Name: "w07 slow storage", Nodes: 2, About: "all loaders wait for the storage: steps take 1.6x",
		Does: from(onset, train, mix(train, ready, 0.38)),
		Want: []Want{says(slowStep, anywhere, anywhere, onset, 8*mins).mildly()}},
	{Name: "w08 power of all", Nodes: 2, About: "a lower power limit: all clock at 0.75",
		Does: from(onset, train, clocked(0.75)),
		Want: []Want{says(slowStep, anywhere, anywhere, onset, 8*mins).mildly()}},
	{Name: "w09 slow host of 2", Nodes: 2, About: "the host of one of 2 nodes is slow: 1.6x",
		Does: atOnset(these(1.6, host, node(1)...)), Want: []Want{slowed(1, anywhere, patient)}},
	{Name: "w10 slow node of 4", Nodes: 4, About: "the GPUs of one of 4 nodes clock at 0.6",
		Does: atOnset(these(1.66, clock, node(2)...)), Want: []Want{slowed(2, anywhere, patient)}},
	{Name: "w11 slow node over TCP", Nodes: 2, GPUs: 4, On: v100, About: "the GPUs of one of 2 nodes clock at 0.6",
		Does: atOnset(these(1.66, clock, fourOf(1)...)), Want: []Want{slowed(1, anywhere, patient)}},
	{Name: "w12 leak to the end", About: "one rank leaks until its GPU is full, in 40 min",
		Does: only(leaks(40*mins), train.using(40), 4),
		Want: []Want{says(kinds("gpu_memory_full"), 0, 4, onset, 38*mins)}},
	{Name: "w13 all leak", About: "all ranks leak until their GPUs are full, in 60 min", Does: leaks(60 * mins),
		Want: []Want{says(kinds("gpu_memory_full"), 0, anywhere, onset, 58*mins)}},
	{Name: "w14 stalled storage", Nodes: 2, About: "the file system stalls for 2 min, once",
		Does: pauses(during(span{onset, onset + 2*mins}), ready, train),
		Want: []Want{says(kinds("job_idle", "stalled"), anywhere, anywhere, onset, 4*mins).mildly()}},
	{Name: "w15 long hang ends", Nodes: 2, About: "the GPUs of a node stand for 50 min, the others spin; then all work",
		Does: stopped(from(50*mins, only(ready, spin, node(1)...), train)), Runs: torchrun.cpu(onset, 1, node(1)...),
		Want: []Want{stands(1, anywhere).until(onset + 50*mins)}, Length: 90 * mins},
	{Name: "w16 hang of 12", Nodes: 2, About: "12 of 16 GPUs stand, 4 spin",
		Does: stopped(only(spin, ready, 0, 1, 2, 3)), Runs: torchrun.cpu(onset, 1, gpus(4, 16)...),
		Want: []Want{stands(1, anywhere)}},
	{Name: "w17 checkpoint that never ends", Nodes: 2, About: "rank 0 writes for a minute, then stands for ever",
		Does: stopped(only(sequence(part{60 * sec, writes(0.9)}, part{0, ready}), spin, 0)),
		Runs: torchrun.cpu(onset+60*sec, 0, 0), Want: []Want{says(stops, 0, 0, onset, 8*mins)}},
	{Name: "w18 rank computes for ever", Nodes: 2, About: "rank 0 uses a core for ever, the others spin",
		Does: stopped(only(ready, spin, 0)), Want: []Want{says(stops, 0, 0, onset, 18*mins)}},
}

// leaks is a training whose memory grows from onset on, until it is full.
func leaks(lasts time.Duration) Program {
	return does(func(at time.Duration, _ int) Work {
		return train.using(min(79.8, 40+40*max(float64(at-onset), 0)/float64(lasts)))
	})
}
