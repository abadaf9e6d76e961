package shapes

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
)

// stops are the kinds that say that a job does not go on.
var stops = kinds("job_hang", "job_idle")

// Jobs that wait for ever.
var hangs = []Shape{
	{Name: "f07b stuck loader", About: "the loader of rank 5 is stuck: its GPU is idle, all others spin", Build: func(r *rig) Job {
		j := r.stopped(only(steady(ready), steady(spin), 5))
		j.Runs = j.Runs.cpu(onset, 0, 5)
		return j
	}, Want: []Want{{stops, 0, 5, onset, hung, 0}}},
	{Name: "f08 all spin", About: "8 of 8 GPUs spin", Build: func(r *rig) Job { return r.stopped(steady(spin)) },
		Want: []Want{{stops, anywhere, anywhere, onset, hung, 0}}},
	{Name: "f08b 16 of 16", About: "all GPUs of 2 nodes spin", Nodes: 2, Build: func(r *rig) Job { return r.stopped(steady(spin)) },
		Want: []Want{{stops, anywhere, anywhere, onset, hung, 0}}},
	{Name: "f09 all idle", About: "all GPUs are idle, and their processes wait for a lock", Build: func(r *rig) Job {
		j := r.stopped(steady(ready))
		j.Runs = j.Runs.cpu(onset, 0, 0, 1, 2, 3, 4, 5, 6, 7)
		return j
	}, Want: []Want{{stops, anywhere, anywhere, onset, hung, 0}}},
	{Name: "f10 hung before", About: "the job has hung since before the watch began", Nodes: 2, Build: func(r *rig) Job {
		return Job{Does: steady(spin), Runs: r.torchrun()}
	}, Want: []Want{{stops, anywhere, anywhere, 0, 10 * mins, 0}}},
	{Name: "f11 without counters", About: "all GPUs spin; the driver tells no bytes", On: mute, Build: func(r *rig) Job { return r.stopped(steady(spin)) },
		Want: []Want{{stops, anywhere, anywhere, onset, hung, 0}}},
	{Name: "f12 3 of 4", About: "3 of 4 GPUs spin, one stands", GPUs: 4, Build: func(r *rig) Job {
		j := r.stopped(only(steady(ready), steady(spin), 1))
		j.Runs = j.Runs.cpu(onset, 1, 1)
		return j
	}, Want: []Want{{stops, 0, 1, onset, hung, 0}}},
	{Name: "f12b 1 of 2", About: "one of 2 GPUs spins, the other stands", GPUs: 2, Build: func(r *rig) Job {
		j := r.stopped(only(steady(ready), steady(spin), 1))
		j.Runs = j.Runs.cpu(onset, 1, 1)
		return j
	}, Want: []Want{{stops, 0, 1, onset, hung, 0}}},
	{Name: "f14 dead rank", About: "rank 3 is killed, the others spin", Nodes: 2, Build: func(r *rig) Job {
		j := r.stopped(only(steady(resting), steady(spin), 3))
		j.Runs = j.Runs.dead(onset, 3)
		return j
	}, Want: []Want{{kinds("rank_gone"), 0, 3, onset, 160 * sec, cluster.Critical}, {stops, anywhere, anywhere, onset, hung, 0}}},
	{Name: "f28 four dead ranks", About: "4 of 16 ranks are killed, the others spin", Nodes: 2, Build: func(r *rig) Job {
		j := r.stopped(only(steady(resting), steady(spin), 1, 2, 9, 10))
		j.Runs = j.Runs.dead(onset, 1, 2, 9, 10)
		return j
	}, Want: []Want{{kinds("rank_gone"), 0, 1, onset, 160 * sec, cluster.Critical}, {kinds("rank_gone"), 0, 2, onset, 160 * sec, cluster.Critical},
		{kinds("rank_gone"), 1, 1, onset, 160 * sec, cluster.Critical}, {kinds("rank_gone"), 1, 2, onset, 160 * sec, cluster.Critical},
		{stops, anywhere, anywhere, onset, hung, 0}}},
	{Name: "f31 a node stands", About: "the GPUs of one of 2 nodes are at 0%, those of the other spin", Nodes: 2, Build: func(r *rig) Job {
		j := r.stopped(where(onNode(1), steady(ready), steady(spin)))
		j.Runs = j.Runs.cpu(onset, 1, 8, 9, 10, 11, 12, 13, 14, 15)
		return j
	}, Want: []Want{{stops, 1, anywhere, onset, hung, 0}}},
	{Name: "f32 a node of 4 stands", About: "the same with one of 4 nodes", Nodes: 4, Build: func(r *rig) Job {
		j := r.stopped(where(onNode(2), steady(ready), steady(spin)))
		j.Runs = j.Runs.cpu(onset, 1, 16, 17, 18, 19, 20, 21, 22, 23)
		return j
	}, Want: []Want{{stops, 2, anywhere, onset, hung, 0}}},
	{Name: "f35 light job", About: "a job of 205 W spins at 108 W", Build: func(r *rig) Job {
		return r.stoppedFrom(train.light(205), steady(spin.with(func(w *Work) { w.Power = 108 })))
	}, Want: []Want{{stops, anywhere, anywhere, onset, hung, 0}}},
	{Name: "g10 2 of 3 spin", About: "2 of 3 GPUs spin, one stands", GPUs: 3, Build: func(r *rig) Job {
		j := r.stopped(only(steady(ready), steady(spin), 2))
		j.Runs = j.Runs.cpu(onset, 1, 2)
		return j
	}, Want: []Want{{stops, 0, 2, onset, hung, 0}}},
	{Name: "g11 dies, and is awaited later", About: "a rank is killed; the others work on for 2 min, then spin", Nodes: 2, Build: func(r *rig) Job {
		j := r.stopped(only(steady(resting), from(onset+2*mins, steady(train), steady(spin)), 12))
		j.Runs = j.Runs.dead(onset, 12)
		return j
	}, Want: []Want{{kinds("rank_gone"), 1, 4, onset + 2*mins, hung, cluster.Critical}, {stops, anywhere, anywhere, onset + 2*mins, hung, 0}}},
	{Name: "g12 killed shard", About: "one of 8 shards is killed for its memory; the others need nothing of it", Build: func(r *rig) Job {
		return Job{Does: only(from(onset, steady(alone), steady(resting)), steady(alone), 2), Runs: r.srun("python").dead(onset, 2)}
	}, Want: []Want{{kinds("rank_gone"), 0, 2, onset, hung, mild}}, Length: 40 * mins},
	{Name: "g13 hang on PCIe", About: "all of 4 GPUs without NVLink spin", GPUs: 4, On: l40s, Build: func(r *rig) Job { return r.stopped(steady(spin)) },
		Want: []Want{{stops, anywhere, anywhere, onset, hung, 0}}},
	{Name: "g15 endless loop", About: "rank 5 computes on its CPU for ever, all others spin: it might be a long pause", Build: func(r *rig) Job {
		return r.stopped(only(steady(ready), steady(spin), 5))
	}, Want: []Want{{stops, 0, 5, onset, 8 * mins, 0}}},
	{Name: "g14 hang in a checkpoint", About: "ranks write a checkpoint, and none comes back", Nodes: 2, Build: func(r *rig) Job {
		return Job{Does: pauses(r.every(15*mins, 40*sec), r.checkpoint(0.5), from(onset, steady(train), func(at time.Duration, g int) Work {
			return r.checkpoint(0.3)(at-onset, g)
		})), Runs: r.torchrun()}
	}, Want: []Want{{stops, anywhere, anywhere, onset, 5 * mins, 0}}},
}

// What else goes wrong in jobs.
var others = []Shape{
	{Name: "f18 leak", About: "one rank leaks memory until the GPU is full", Build: func(r *rig) Job {
		return Job{Does: func(at time.Duration, g int) Work {
			w := train.with(func(w *Work) { w.Used = 40 })
			if g == 4 && at > onset {
				w.Used = min(79.8, 40+float64(at-onset)/float64(30*mins)*40)
			}
			return w
		}, Runs: r.torchrun()}
	}, Want: []Want{{kinds("memory_imbalance", "gpu_memory_full"), 0, 4, onset, 30 * mins, mild}}},
	{Name: "f23 unused GPU", About: "one of 8 GPUs is never used", Length: 50 * mins, Build: func(r *rig) Job {
		return Job{Does: only(steady(resting), steady(alone), 7), Runs: r.programs("python").dead(0, 7)}
	}, Want: []Want{{kinds("idle"), 0, 7, 0, 320 * sec, mild}, {kinds("idle"), 0, 7, 0, 31 * mins, 0}}},
	{Name: "f33 two equal programs", About: "two torchruns of 4 on one node; rank 2 of the second is killed, and its three spin", Build: func(r *rig) Job {
		j := r.slower(where(func(g int) bool { return g > 3 }, only(steady(resting), steady(spin), 6), steady(train)))
		j.Runs = r.twice().dead(onset, 6)
		return j
	}, Want: []Want{{kinds("rank_gone"), 0, 6, onset, hung, 0}}},
	{Name: "f34 mpirun", About: "an MPI rank of 8 ends by a fault of its own, the others wait without spinning", Build: func(r *rig) Job {
		j := r.stopped(only(steady(resting), steady(ready), 3))
		j.Runs = r.mpirun("solver").dead(onset, 3)
		return j
	}, Want: []Want{{kinds("rank_gone"), 0, 3, onset, hung, cluster.Critical}, {stops, anywhere, anywhere, onset, hung, 0}}},
}

// stopped is a training job whose GPUs do something else from onset on, and write no more checkpoints.
func (r *rig) stopped(then Program) Job { return r.stoppedFrom(train, then) }

func (r *rig) stoppedFrom(usual Work, then Program) Job {
	pausing := pauses(r.every(17*mins, 45*sec), r.checkpoint(0.5), steady(usual))
	return Job{Does: from(onset, pausing, then), Runs: r.torchrun()}
}

// twice are two programs of torchrun on halves of each node.
func (r *rig) twice() Processes {
	return func(_ time.Duration, gpu int) []Process {
		half, rank := gpu/4, gpu%4
		return []Process{{PID: 4000 + 1000*half + rank, Parent: 3990 + 1000*half, Began: before + time.Duration(half)*40*sec, Name: "python", From: "RANK", Rank: rank, World: 4, Local: rank, CPU: 101}}
	}
}
