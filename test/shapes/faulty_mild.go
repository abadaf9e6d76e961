package shapes

// Slow GPUs that are harder to tell: slow by less, in small, large and light jobs, or with less to see.
var mild = []Shape{
	{
		Name: "g02 one of 2", GPUs: 2,
		About: "one of 2 GPUs clocks at 0.6",
		Build: func(r *rig) Job {
			return r.slower(only(clocked(0.6), waits(0.4), 1))
		},
		Want: []Want{slowed(0, 1, patient)},
	},
	{
		Name: "g04 a fifth", Nodes: 2,
		About: "one GPU clocks at 0.8 for the rest of the job, the others wait a fifth of the time",
		Build: func(r *rig) Job {
			return r.slower(only(clocked(0.8), waits(0.2), 9))
		},
		Want: []Want{slowed(1, 1, patient)},
	},
	{
		Name: "g05 a fifth before", Nodes: 2,
		About: "one GPU has clocked at 0.78 since before the watch began",
		Build: func(r *rig) Job {
			return r.always(only(clocked(0.78), waits(0.22), 9))
		},
		Want: []Want{slowed(1, 1, patient).later(-onset)},
	},
	{
		Name: "g06 node of 8", Nodes: 8,
		About: "the host of one node of 8 is slow: its GPUs do 80%, the others wait a fifth of the time",
		Build: func(r *rig) Job {
			return r.slower(where(onNode(5), mix(train, ready, 0.2), waits(0.2)))
		},
		Want: []Want{slowed(5, anywhere, patient)},
	},
	{
		Name: "g07 waiting on the CPU", GPUs: 4,
		About: "one GPU of an MPI code clocks at 0.65: the others wait a third of the time without spinning",
		Build: func(r *rig) Job {
			others := mix(train, ready, 0.35)
			return Job{Does: from(onset, train, only(clocked(0.65), others, 2)), Runs: r.mpirun("vasp_std")}
		},
		Want: []Want{slowed(0, 2, patient)},
	},
	{
		Name: "g08 1.34x of A100", Nodes: 2, On: a100,
		About: "one GPU is slow at full clocks, the others wait a quarter of the time",
		Build: func(r *rig) Job {
			return r.slower(only(train, waits(0.25), 4))
		},
		Want: []Want{slowed(0, 4, patient)},
	},
	{
		Name: "g09 1.34x on PCIe", GPUs: 4, On: l40s,
		About: "one GPU of 4 without NVLink clocks at 0.75, the others wait a quarter of the time",
		Build: func(r *rig) Job {
			return r.slower(only(clocked(0.75), waits(0.25), 1))
		},
		Want: []Want{slowed(0, 1, patient)},
	},
	{
		Name: "g20 light 1.34x", Nodes: 2,
		About: "a light job of 380 W: one GPU clocks at 0.75, the others wait a quarter of the time",
		Build: func(r *rig) Job {
			usual := train.light(380)
			slow := usual.with(func(w *Work) { w.Clock, w.Power, w.Memory, w.NVLink = 1480, 290, 26, 38*giga })
			return r.faulty(usual, only(slow, mix(usual, spin, 0.25), 10))
		},
		Want: []Want{slowed(1, 2, patient)},
	},
	{
		Name: "g21 among wobbling ones", Nodes: 2,
		About: "one GPU clocks at 0.72 in a job in which the load of each wanders by 15%",
		Build: func(r *rig) Job {
			bad := wobbling(21, 40*sec, 0.15, only(clocked(0.72), waits(0.28), 10))
			return r.faulty(wobbling(21, 40*sec, 0.15, train), bad)
		},
		Want: []Want{slowed(1, 2, patient)},
	},
	{
		Name: "g22 between checkpoints", Nodes: 2,
		About: "one GPU clocks at 0.75 in a job that pauses for 40 s every 5 min",
		Build: func(r *rig) Job {
			bad := from(onset, train, only(clocked(0.75), waits(0.25), 10))
			return r.torch(pauses(r.every(5*mins, 40*sec), r.checkpoint(0.5), bad))
		},
		Want: []Want{slowed(1, 2, patient+2*mins)},
	},
	{
		Name: "g23 one of 256", Nodes: 32,
		About: "one GPU of 256 clocks at 0.747, the others wait a quarter of the time",
		Build: func(r *rig) Job {
			return r.slower(only(clocked(0.747), waits(0.25), 180))
		},
		Want: []Want{slowed(22, 4, patient)},
	},
	{
		Name: "g25 in accumulation", Nodes: 2,
		About: "gradients are exchanged in bursts; one GPU clocks at 0.75, the others wait for it there",
		Build: func(r *rig) Job {
			burst := func(w Work) Work { return w.with(func(w *Work) { w.NVLink, w.Net = 50e3, 1e3 }) }
			usual := cycle(part{21 * sec, burst(train)}, part{3 * sec, train})
			others := cycle(part{21 * sec, burst(train)}, part{6 * sec, spin}, part{3 * sec, train})
			bad := cycle(part{27 * sec, burst(clocked(0.75))}, part{3 * sec, clocked(0.75)})
			return r.faulty(usual, only(bad, others, 10))
		},
		Want: []Want{slowed(1, 2, patient)},
	},
	{
		Name: "g30 soon after", Nodes: 2,
		About: "one GPU clocks at 0.65 from 4 min after the watch began",
		Build: func(r *rig) Job {
			return r.torch(from(4*mins, train, only(clocked(0.65), waits(0.35), 11)))
		},
		Want: []Want{slowed(1, 3, atOnce).later(4*mins - onset)},
	},
	{
		Name: "g31 seldom looked at", Nodes: 2, Poll: 15 * sec,
		About: "one GPU clocks at 0.65; nodes report every 15 s",
		Build: func(r *rig) Job {
			return r.slower(only(clocked(0.65), waits(0.35), 11))
		},
		Want: []Want{slowed(1, 3, 2*mins)},
	},
	{
		Name: "g32 mild for a while", Nodes: 2,
		About: "one GPU clocks at 0.78 for 12 min, then recovers",
		Build: func(r *rig) Job {
			bad := only(clocked(0.78), waits(0.22), 2)
			return r.slower(from(onset+12*mins, bad, train))
		},
		Want: []Want{slowed(0, 2, patient).until(onset + 12*mins)},
	},
	{
		Name: "g33 half nodes", Nodes: 2, GPUs: 4, Beside: 4,
		About: "one GPU of 4 on each of 2 nodes clocks at 0.65; another user trains on the others",
		Build: func(r *rig) Job {
			return r.slower(only(clocked(0.65), waits(0.35), 6))
		},
		Want: []Want{slowed(1, 2, atOnce)},
	},
	{
		Name: "g40 1.34x without counters", Nodes: 2, On: mute,
		About: "one GPU is slow at full clocks, the others wait a quarter of the time; the driver tells no bytes",
		Build: func(r *rig) Job {
			return r.slower(only(train, waits(0.25), 11))
		},
		Want: []Want{slowed(1, 3, patient)},
	},
	{
		Name: "g41 a GPU for each node", Nodes: 8, GPUs: 1,
		About: "8 nodes with one GPU each: one clocks at 0.65",
		Build: func(r *rig) Job {
			return r.slower(only(clocked(0.65), waits(0.35), 5))
		},
		Want: []Want{slowed(5, 0, atOnce)},
	},
	{
		Name: "g42 Ethernet", Nodes: 2, GPUs: 4, On: v100,
		About: "2 nodes with 4 GPUs each without NVLink and InfiniBand: one GPU clocks at 0.65",
		Build: func(r *rig) Job {
			return r.slower(only(clocked(0.65), waits(0.35), 5))
		},
		Want: []Want{slowed(1, 1, atOnce)},
	},
}
