package shapes

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// stops are the kinds that say that a job makes no progress.
var stops = kinds("job_hang", "job_idle")

// Jobs that wait forever.
var hangs = []Shape{
	{
		Name:  "f07b stuck loader",
		About: "the loader of rank 5 is stuck: its GPU is idle, all others spin",
		Build: func(r *rig) Job {
			j := r.stopped(only(ready, spin, 5))
			j.Runs = j.Runs.cpu(onset, 0, 5)
			return j
		},
		Want: []Want{stands(0, 5)},
	},
	{
		Name:  "f08 all spin",
		About: "8 of 8 GPUs spin",
		Build: func(r *rig) Job {
			return r.stopped(spin)
		},
		Want: []Want{stands(anywhere, anywhere)},
	},
	{
		Name: "f08b 16 of 16", Nodes: 2,
		About: "all GPUs of 2 nodes spin",
		Build: func(r *rig) Job {
			return r.stopped(spin)
		},
		Want: []Want{stands(anywhere, anywhere)},
	},
	{
		Name:  "f09 all idle",
		About: "all GPUs are idle, and their processes wait for a lock",
		Build: func(r *rig) Job {
			j := r.stopped(ready)
			j.Runs = j.Runs.cpu(onset, 0, 0, 1, 2, 3, 4, 5, 6, 7)
			return j
		},
		Want: []Want{stands(anywhere, anywhere)},
	},
	{
		Name: "f10 hung before", Nodes: 2,
		About: "the job has hung since before the watch began",
		Build: func(r *rig) Job {
			return r.torch(spin)
		},
		Want: []Want{says(stops, anywhere, anywhere, 0, 10*mins)},
	},
	{
		Name: "f11 without counters", On: mute,
		About: "all GPUs spin; the driver tells no bytes",
		Build: func(r *rig) Job {
			return r.stopped(spin)
		},
		Want: []Want{stands(anywhere, anywhere)},
	},
	{
		Name: "f12 3 of 4", GPUs: 4,
		About: "3 of 4 GPUs spin, one stands",
		Build: func(r *rig) Job {
			j := r.stopped(only(ready, spin, 1))
			j.Runs = j.Runs.cpu(onset, 1, 1)
			return j
		},
		Want: []Want{stands(0, 1)},
	},
	{
		Name: "f12b 1 of 2", GPUs: 2,
		About: "one of 2 GPUs spins, the other stands",
		Build: func(r *rig) Job {
			j := r.stopped(only(ready, spin, 1))
			j.Runs = j.Runs.cpu(onset, 1, 1)
			return j
		},
		Want: []Want{stands(0, 1)},
	},
	{
		Name: "f14 dead rank", Nodes: 2,
		About: "rank 3 is killed, the others spin",
		Build: func(r *rig) Job {
			j := r.stopped(only(resting, spin, 3))
			j.Runs = j.Runs.dead(onset, 3)
			return j
		},
		Want: []Want{lost(0, 3), stands(anywhere, anywhere)},
	},
	{
		Name: "f28 four dead ranks", Nodes: 2,
		About: "4 of 16 ranks are killed, the others spin",
		Build: func(r *rig) Job {
			j := r.stopped(only(resting, spin, 1, 2, 9, 10))
			j.Runs = j.Runs.dead(onset, 1, 2, 9, 10)
			return j
		},
		Want: []Want{lost(0, 1), lost(0, 2), lost(1, 1), lost(1, 2), stands(anywhere, anywhere)},
	},
	{
		Name: "f31 a node stands", Nodes: 2,
		About: "the GPUs of one of 2 nodes are at 0%, those of the other spin",
		Build: func(r *rig) Job {
			j := r.stopped(where(onNode(1), ready, spin))
			j.Runs = j.Runs.cpu(onset, 1, 8, 9, 10, 11, 12, 13, 14, 15)
			return j
		},
		Want: []Want{stands(1, anywhere)},
	},
	{
		Name: "f32 a node of 4 stands", Nodes: 4,
		About: "the same with one of 4 nodes",
		Build: func(r *rig) Job {
			j := r.stopped(where(onNode(2), ready, spin))
			j.Runs = j.Runs.cpu(onset, 1, 16, 17, 18, 19, 20, 21, 22, 23)
			return j
		},
		Want: []Want{stands(2, anywhere)},
	},
	{
		Name:  "f35 light job",
		About: "a job of 205 W spins at 108 W",
		Build: func(r *rig) Job {
			return r.stoppedFrom(train.light(205), spin.with(func(w *Work) { w.Power = 108 }))
		},
		Want: []Want{stands(anywhere, anywhere)},
	},
	{
		Name: "g10 2 of 3 spin", GPUs: 3,
		About: "2 of 3 GPUs spin, one stands",
		Build: func(r *rig) Job {
			j := r.stopped(only(ready, spin, 2))
			j.Runs = j.Runs.cpu(onset, 1, 2)
			return j
		},
		Want: []Want{stands(0, 2)},
	},
	{
		Name: "g11 dies, and is awaited later", Nodes: 2,
		About: "a rank is killed; the others work on for 2 min, then spin",
		Build: func(r *rig) Job {
			j := r.stopped(only(resting, from(onset+2*mins, train, spin), 12))
			j.Runs = j.Runs.dead(onset, 12)
			return j
		},
		Want: []Want{lost(1, 4).later(2 * mins), stands(anywhere, anywhere).later(2 * mins)},
	},
	{
		Name:  "g12 killed shard",
		About: "one of 8 shards is killed for its memory; the others need nothing of it",
		Build: func(r *rig) Job {
			return Job{Does: only(from(onset, alone, resting), alone, 2), Runs: r.srun("python").dead(onset, 2)}
		},
		Want: []Want{says(kinds("rank_gone"), 0, 2, onset, hung).mildly()}, Length: 40 * mins,
	},
	{
		Name: "g13 hang on PCIe", GPUs: 4, On: l40s,
		About: "all of 4 GPUs without NVLink spin",
		Build: func(r *rig) Job {
			return r.stopped(spin)
		},
		Want: []Want{stands(anywhere, anywhere)},
	},
	{
		Name:  "g16 after long pauses",
		About: "rank 0 has written for 3 min every 15 min; then a rank stands, and all others spin for ever",
		Build: func(r *rig) Job {
			const late = 100 * mins
			writes := pauses(r.every(15*mins, 180*sec), r.rank0Writes(), train)
			j := r.torch(from(late, writes, only(ready, spin, 5)))
			j.Runs = j.Runs.cpu(late, 0, 5)
			return j
		},
		Want: []Want{says(stops, 0, 5, 100*mins, 10*mins)},
	},
	{
		Name: "g17 node dies", Nodes: 4,
		About: "a node of 4 does not report any more, the GPUs of the others spin",
		Build: func(r *rig) Job {
			j := r.stopped(spin)
			j.Silent = func(at time.Duration, node int) bool { return node == 1 && at >= onset }
			return j
		},
		Want: []Want{says(kinds("node_stale", "node_failed"), 1, anywhere, onset, 20*sec), stands(anywhere, anywhere)},
	},
	{
		Name:  "g15 endless loop",
		About: "rank 5 computes on its CPU for ever, all others spin: it might be a long pause",
		Build: func(r *rig) Job {
			return r.stopped(only(ready, spin, 5))
		},
		Want: []Want{says(stops, 0, 5, onset, 8*mins)},
	},
	{
		Name: "g14 hang in a checkpoint", Nodes: 2,
		About: "ranks write a checkpoint, and none comes back: it might be a long one",
		Build: func(r *rig) Job {
			return r.stopped(does(func(at time.Duration, g int) Work { return r.checkpoint(0.3)(at-onset, g) }))
		},
		Want: []Want{says(stops, anywhere, anywhere, onset, 7*mins)},
	},
	{
		Name: "g18 dead task", Nodes: 2,
		About: "a task of srun is killed, the others spin",
		Build: func(r *rig) Job {
			j := r.stopped(only(resting, spin, 13))
			j.Runs = r.srun("python").dead(onset, 13)
			return j
		},
		Want: []Want{lost(1, 5), stands(anywhere, anywhere)},
	},
	{
		Name: "g19 stood before", Nodes: 2,
		About: "one of 2 nodes has stood since before the watch began, the other spins",
		Build: func(r *rig) Job {
			return Job{Does: where(onNode(1), ready, spin), Runs: r.torchrun().cpu(0, 1, 8, 9, 10, 11, 12, 13, 14, 15)}
		},
		Want: []Want{says(stops, 1, anywhere, 0, 10*mins)},
	},
	{
		Name: "g27 in pieces", Nodes: 2,
		About: "a deadlock: 9 of 16 GPUs spin, the others stand, their processes wait",
		Build: func(r *rig) Job {
			stand := []int{0, 2, 3, 7, 9, 12, 15}
			j := r.stopped(only(ready, spin, stand...))
			j.Runs = j.Runs.cpu(onset, 1, stand...)
			return j
		},
		Want: []Want{stands(anywhere, anywhere)},
	},
	{
		Name:  "g28 unlisted",
		About: "one GPU stands, 7 spin; nobody may list the processes",
		Build: func(r *rig) Job {
			j := r.stopped(only(ready, spin, 5))
			j.Runs = nil
			return j
		},
		Want: []Want{says(stops, 0, 5, onset, 8*mins)},
	},
	{
		Name: "g34 goes on", Nodes: 2,
		About: "all spin for 7 min, and then work again",
		Build: func(r *rig) Job {
			return r.stopped(from(onset+7*mins, spin, train))
		},
		Want: []Want{stands(anywhere, anywhere).until(onset + 7*mins)},
	},
	{
		Name:  "g35 soon after",
		About: "all spin from 4 min after the watch began",
		Build: func(r *rig) Job {
			return r.torch(from(4*mins, train, spin))
		},
		Want: []Want{stands(anywhere, anywhere).later(4*mins - onset)},
	},
	{
		Name: "g36 seldom looked at", Nodes: 2, Poll: 15 * sec,
		About: "one GPU stands, 15 spin; nodes report every 15 s",
		Build: func(r *rig) Job {
			j := r.stopped(only(ready, spin, 9))
			j.Runs = j.Runs.cpu(onset, 0, 9)
			return j
		},
		Want: []Want{says(stops, 1, 1, onset, 4*mins)},
	},
	{
		Name: "g43 a GPU for each node", Nodes: 8, GPUs: 1,
		About: "8 nodes with one GPU each: one stands, the others spin",
		Build: func(r *rig) Job {
			j := r.stopped(only(ready, spin, 6))
			j.Runs = j.Runs.cpu(onset, 0, 6)
			return j
		},
		Want: []Want{stands(6, 0)},
	},
	{
		Name: "g44 dead one of 2", GPUs: 2,
		About: "one of 2 ranks is killed, the other spins",
		Build: func(r *rig) Job {
			j := r.stopped(only(resting, spin, 1))
			j.Runs = j.Runs.dead(onset, 1)
			return j
		},
		Want: []Want{lost(0, 1), stands(anywhere, anywhere)},
	},
}

// Other faults of jobs.
var others = []Shape{
	{
		Name:  "f18 leak",
		About: "one rank leaks memory until the GPU is full",
		Build: func(r *rig) Job {
			return Job{Does: does(func(at time.Duration, g int) Work {
				w := train.with(func(w *Work) { w.Used = 40 })
				if g == 4 && at > onset {
					w.Used = min(79.8, 40+float64(at-onset)/float64(30*mins)*40)
				}
				return w
			}), Runs: r.torchrun()}
		},
		Want: []Want{says(kinds("memory_imbalance", "gpu_memory_full"), 0, 4, onset, 30*mins).mildly()},
	},
	{
		Name: "f23 unused GPU", Length: 50 * mins,
		About: "one of 8 GPUs is never used",
		Build: func(r *rig) Job {
			return Job{Does: only(resting, alone, 7), Runs: r.programs("python").dead(0, 7)}
		},
		Want: []Want{says(kinds("idle"), 0, 7, 0, 320*sec).mildly(), says(kinds("idle"), 0, 7, 0, 31*mins)},
	},
	{
		Name:  "f33 two equal programs",
		About: "two torchruns of 4 on one node; rank 2 of the second is killed, and its three spin",
		Build: func(r *rig) Job {
			j := r.slower(where(func(g int) bool { return g > 3 }, only(resting, spin, 6), train))
			j.Runs = r.twice().dead(onset, 6)
			return j
		},
		Want: []Want{says(kinds("rank_gone"), 0, 6, onset, hung)},
	},
	{
		Name:  "f34 mpirun",
		About: "an MPI rank of 8 ends by a fault of its own, the others wait without spinning",
		Build: func(r *rig) Job {
			j := r.stopped(only(resting, ready, 3))
			j.Runs = r.mpirun("solver").dead(onset, 3)
			return j
		},
		Want: []Want{lost(0, 3), stands(anywhere, anywhere)},
	},
}

// stands wants the finding that the job makes no progress since onset, because of this GPU.
func stands(node, gpu int) Want { return says(stops, node, gpu, onset, hung) }

// lost wants the finding that the rank on this GPU has ended at onset, and that others wait for it.
func lost(node, gpu int) Want {
	w := says(kinds("rank_gone"), node, gpu, onset, 160*sec)
	w.Least = cluster.Critical
	return w
}

// stopped is a training job whose GPUs do something else from onset on, and write no more checkpoints.
func (r *rig) stopped(then Program) Job { return r.stoppedFrom(train, then) }

func (r *rig) stoppedFrom(usual, then Program) Job {
	pausing := pauses(r.every(17*mins, 45*sec), r.checkpoint(0.5), usual)
	return r.torch(from(onset, pausing, then))
}

// twice are two programs of torchrun on halves of each node.
func (r *rig) twice() Processes {
	return func(_ time.Duration, gpu int) []Process {
		half, rank := gpu/4, gpu%4
		return []Process{{
			PID: 4000 + 1000*half + rank, Parent: 3990 + 1000*half, Began: before + time.Duration(half)*40*sec,
			Name: "python", CPU: 101,
			From: "RANK", Rank: rank, World: 4, Local: rank,
		}}
	}
}
