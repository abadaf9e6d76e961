package shapes

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// stops are the kinds that say that a job makes no progress.
var stops = kinds("job_hang", "job_idle")

// Jobs that wait forever.
var hangs = []Shape{
	{Name: "f07b stuck loader", About: "the loader of rank 5 is stuck: its GPU is idle, all others spin",
		Does: stopped(only(ready, spin, 5)), Runs: torchrun.cpu(onset, 0, 5), Want: []Want{stands(0, 5)}},
	{Name: "f08 all spin", About: "8 of 8 GPUs spin", Does: stopped(spin), Want: []Want{stands(anywhere, anywhere)}},
	{Name: "f08b 16 of 16", Nodes: 2, About: "all GPUs of 2 nodes spin", Does: stopped(spin),
		Want: []Want{stands(anywhere, anywhere)}},
	{Name: "f09 all idle", About: "all GPUs are idle, and their processes wait for a lock", Does: stopped(ready),
		Runs: torchrun.cpu(onset, 0, node(0)...), Want: []Want{stands(anywhere, anywhere)}},
	{Name: "f10 hung before", Nodes: 2, About: "the job has hung since before the watch began", Does: spin,
		Want: []Want{says(stops, anywhere, anywhere, 0, 10*mins)}},
	{Name: "f11 without counters", On: mute, About: "all GPUs spin; the driver tells no bytes", Does: stopped(spin),
		Want: []Want{stands(anywhere, anywhere)}},
	{Name: "f12 3 of 4", GPUs: 4, About: "3 of 4 GPUs spin, one stands", Does: stopped(only(ready, spin, 1)),
		Runs: torchrun.cpu(onset, 1, 1), Want: []Want{stands(0, 1)}},
	{Name: "f12b 1 of 2", GPUs: 2, About: "one of 2 GPUs spins, the other stands", Does: stopped(only(ready, spin, 1)),
		Runs: torchrun.cpu(onset, 1, 1), Want: []Want{stands(0, 1)}},
	{Name: "f14 dead rank", Nodes: 2, About: "rank 3 is killed, the others spin", Does: stopped(only(resting, spin, 3)),
		Runs: torchrun.dead(onset, 3), Want: []Want{lost(0, 3), stands(anywhere, anywhere)}},
	{Name: "f28 four dead ranks", Nodes: 2, About: "4 of 16 ranks are killed, the others spin",
		Does: stopped(only(resting, spin, 1, 2, 9, 10)), Runs: torchrun.dead(onset, 1, 2, 9, 10),
		Want: []Want{lost(0, 1), lost(0, 2), lost(1, 1), lost(1, 2), stands(anywhere, anywhere)}},
	{Name: "f31 a node stands", Nodes: 2, About: "the GPUs of one of 2 nodes are at 0%, those of the other spin",
		Does: stopped(only(ready, spin, node(1)...)), Runs: torchrun.cpu(onset, 1, node(1)...),
		Want: []Want{stands(1, anywhere)}},
	{Name: "f32 a node of 4 stands", Nodes: 4, About: "the same with one of 4 nodes",
		Does: stopped(only(ready, spin, node(2)...)), Runs: torchrun.cpu(onset, 1, node(2)...),
		Want: []Want{stands(2, anywhere)}},
	{Name: "f35 light job", About: "a job of 205 W spins at 108 W",
		Does: stoppedFrom(train.light(205), spin.drawing(108)), Want: []Want{stands(anywhere, anywhere)}},
	{Name: "g10 2 of 3 spin", GPUs: 3, About: "2 of 3 GPUs spin, one stands", Does: stopped(only(ready, spin, 2)),
		Runs: torchrun.cpu(onset, 1, 2), Want: []Want{stands(0, 2)}},
	{Name: "g11 dies, and is awaited later", Nodes: 2,
		About: "a rank is killed; the others work on for 2 min, then spin",
		Does:  stopped(only(resting, from(2*mins, train, spin), 12)), Runs: torchrun.dead(onset, 12),
		Want: []Want{lost(1, 4).later(2 * mins), stands(anywhere, anywhere).later(2 * mins)}},
	{Name: "g12 killed shard", Length: 40 * mins,
		About: "one of 8 shards is killed for its memory; the others need nothing of it",
		Does:  only(from(onset, alone, resting), alone, 2), Runs: srun("python").dead(onset, 2),
		Want: []Want{says(kinds("rank_gone"), 0, 2, onset, hung).mildly()}},
	{Name: "g13 hang on PCIe", GPUs: 4, On: l40s, About: "all of 4 GPUs without NVLink spin", Does: stopped(spin),
		Want: []Want{stands(anywhere, anywhere)}},
	{Name: "g16 after long pauses",
		About: "rank 0 has written for 3 min every 15 min; then a rank stands, and all others spin for ever",
		Does:  from(100*mins, pauses(every(15*mins, 180*sec), rank0Writes, train), only(ready, spin, 5)),
		Runs:  torchrun.cpu(100*mins, 0, 5), Want: []Want{says(stops, 0, 5, 100*mins, 10*mins)}},
	{Name: "g17 node dies", Nodes: 4, About: "a node of 4 does not report any more, the GPUs of the others spin",
		Does: stopped(spin), Silent: func(at time.Duration, node int) bool { return node == 1 && at >= onset },
		Want: []Want{says(kinds("node_stale", "node_failed"), 1, anywhere, onset, 20*sec), stands(anywhere, anywhere)}},
	{Name: "g15 endless loop", About: "rank 5 computes on its CPU for ever, all others spin: it might be a long pause",
		Does: stopped(only(ready, spin, 5)), Want: []Want{says(stops, 0, 5, onset, 8*mins)}},
	{Name: "g14 hang in a checkpoint", Nodes: 2,
		About: "ranks write a checkpoint, and none comes back: it might be a long one", Does: stopped(checkpoint(0.3)),
		Want: []Want{says(stops, anywhere, anywhere, onset, 7*mins)}},
	{Name: "g18 dead task", Nodes: 2, About: "a task of srun is killed, the others spin",
		Does: stopped(only(resting, spin, 13)), Runs: srun("python").dead(onset, 13),
		Want: []Want{lost(1, 5), stands(anywhere, anywhere)}},
	{Name: "g19 stood before", Nodes: 2, Runs: torchrun.cpu(0, 1, node(1)...),
		About: "one of 2 nodes has stood since before the watch began, the other spins",
		Does:  only(ready, spin, node(1)...), Want: []Want{says(stops, 1, anywhere, 0, 10*mins)}},
	{Name: "g27 in pieces", Nodes: 2, About: "a deadlock: 9 of 16 GPUs spin, the others stand, their processes wait",
		Does: stopped(only(ready, spin, 0, 2, 3, 7, 9, 12, 15)), Runs: torchrun.cpu(onset, 1, 0, 2, 3, 7, 9, 12, 15),
		Want: []Want{stands(anywhere, anywhere)}},
	{Name: "g28 unlisted", Unlisted: true, About: "one GPU stands, 7 spin; nobody may list the processes",
		Does: stopped(only(ready, spin, 5)), Want: []Want{says(stops, 0, 5, onset, 8*mins)}},
	{Name: "g34 goes on", Nodes: 2, About: "all spin for 7 min, and then work again",
		Does: stopped(from(7*mins, spin, train)), Want: []Want{stands(anywhere, anywhere).until(onset + 7*mins)}},
	{Name: "g35 soon after", About: "all spin from 4 min after the watch began", Does: from(4*mins, train, spin),
		Want: []Want{stands(anywhere, anywhere).before().later(4 * mins)}},
	{Name: "g36 seldom looked at", Nodes: 2, Poll: 15 * sec, About: "one GPU stands, 15 spin; nodes report every 15 s",
		Does: stopped(only(ready, spin, 9)), Runs: torchrun.cpu(onset, 0, 9),
		Want: []Want{says(stops, 1, 1, onset, 4*mins)}},
	{Name: "g43 a GPU for each node", Nodes: 8, GPUs: 1,
		About: "8 nodes with one GPU each: one stands, the others spin", Does: stopped(only(ready, spin, 6)),
		Runs: torchrun.cpu(onset, 0, 6), Want: []Want{stands(6, 0)}},
	{Name: "g44 dead one of 2", GPUs: 2, About: "one of 2 ranks is killed, the other spins",
		Does: stopped(only(resting, spin, 1)), Runs: torchrun.dead(onset, 1),
		Want: []Want{lost(0, 1), stands(anywhere, anywhere)}},
}

// Other faults of jobs.
var others = []Shape{
	{Name: "f18 leak", About: "one rank leaks memory until the GPU is full",
		Does: only(does(func(at time.Duration, _ int) Work {
			return train.using(min(79.8, 40+max(float64(at-onset), 0)/float64(30*mins)*40))
		}), train.using(40), 4),
		Want: []Want{says(kinds("memory_imbalance", "gpu_memory_full"), 0, 4, onset, 30*mins).mildly()}},
	{Name: "f23 unused GPU", Length: 50 * mins, About: "one of 8 GPUs is never used", Does: only(resting, alone, 7),
		Runs: programs("python"),
		Want: []Want{says(kinds("idle"), 0, 7, 0, 320*sec).mildly(), says(kinds("idle"), 0, 7, 0, 31*mins)}},
	{Name: "f33 two equal programs",
		About: "two torchruns of 4 on one node; rank 2 of the second is killed, and its three spin",
		Does:  slower(only(only(resting, spin, 6), train, gpus(4, 8)...)), Runs: twice.dead(onset, 6),
		Want: []Want{says(kinds("rank_gone"), 0, 6, onset, hung)}},
	{Name: "f34 mpirun", About: "an MPI rank of 8 ends by a fault of its own, the others wait without spinning",
		Does: stopped(only(resting, ready, 3)), Runs: mpirun("solver").dead(onset, 3),
		Want: []Want{lost(0, 3), stands(anywhere, anywhere)}},
}

// stands wants the finding that the job makes no progress since onset, because of this GPU.
func stands(node, gpu int) Want { return says(stops, node, gpu, onset, hung) }

// lost wants the finding that the rank on this GPU has ended at onset, and that others wait for it.
func lost(node, gpu int) Want {
	w := says(kinds("rank_gone"), node, gpu, onset, 160*sec)
	w.Least = cluster.Critical
	return w
}

// stopped is a training job whose GPUs do something else from onset on, and write no more checkpoints. The other
// program is asked with the time since onset.
func stopped(then Program) Program { return stoppedFrom(train, then) }

func stoppedFrom(usual, then Program) Program {
	return sequence(part{onset, saves(17*mins, 45*sec, usual)}, part{0, then})
}
