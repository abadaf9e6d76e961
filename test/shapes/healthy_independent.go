package shapes

import (
	"math/rand/v2"
	"time"
)

// Jobs of programs that do not need each other.
var independent = []Shape{
	{
		Name:  "h16 evaluations",
		About: "8 programs train alone, and evaluate at other times",
		Build: func(r *rig) Job {
			return Job{Does: r.alone(func(int) Program {
				return pauses(r.every(12*mins, 100*sec), mix(alone, ready, 0.68), alone)
			}), Runs: r.programs("python")}
		},
	},
	{
		Name:  "h16b one differs",
		About: "the same; the model of one is small, so it is at 45%",
		Build: func(r *rig) Job {
			return Job{Does: r.alone(func(g int) Program {
				if g == 6 {
					return mix(alone, ready, 0.54)
				}
				return pauses(r.every(15*mins, 60*sec), mix(alone, ready, 0.5), alone)
			}), Runs: r.programs("python")}
		},
	},
	{
		Name:  "h38 trials",
		About: "hyper-parameter trials of 4 to 15 min, with gaps of 20 to 60 s",
		Build: func(r *rig) Job {
			return r.single("python", r.trials(4*mins, 15*mins, 20*sec, 60*sec, 0.75))
		},
	},
	{
		Name:  "h39 differing trials",
		About: "the same; the trials differ much",
		Build: func(r *rig) Job {
			return r.single("python", r.trials(3*mins, 20*mins, 20*sec, 60*sec, 0.3))
		},
	},
	{
		Name:  "h44 shards",
		About: "srun -n8 over shards without traffic; ranks end well, one by one",
		Build: func(r *rig) Job {
			ends := func(g int) time.Duration { return 25*mins + time.Duration((g*5)%8)*9*mins }
			return Job{Does: does(func(at time.Duration, g int) Work {
				if at >= ends(g) {
					return resting
				}
				return alone
			}), Runs: r.srun("python").ending(ends)}
		},
		Length: 88 * mins, Allowed: idleTells,
	},
	{
		Name: "h22 notebook", GPUs: 1,
		About: "somebody works in a notebook with one GPU",
		Build: func(r *rig) Job {
			return r.single("python", pauses(r.bursts(20*sec, 12*mins), alone,
				ready.with(func(w *Work) { w.Used = 9 })))
		},
	},
	{
		Name:  "n01 shards with loaders",
		About: "the same with 2 GB/s of images over PCIe to each GPU",
		Build: func(r *rig) Job {
			fed := alone.with(func(w *Work) { w.RX, w.TX = 2*giga, 150*mega })
			ends := func(g int) time.Duration { return 70*mins + time.Duration((g*3)%8)*5*mins }
			return Job{Does: does(func(at time.Duration, g int) Work {
				if at >= ends(g) {
					return resting
				}
				return wobbling(1, 30*sec, 0.1, fed)(at, g)
			}), Runs: r.srun("python").ending(ends)}
		},
		Length: 105 * mins, Allowed: idleTells,
	},
	{
		Name: "n02 Ray Tune", Nodes: 2, GPUs: 4,
		About: "an actor for each trial: processes come and go on each GPU",
		Build: func(r *rig) Job {
			return r.single("ray::Trainable", r.trials(2*mins, 9*mins, 8*sec, 25*sec, 0.6))
		},
	},
	{
		Name:  "n03 Dask",
		About: "RAPIDS workers: bursts with shuffles over NVLink, then the scheduler's turn",
		Build: func(r *rig) Job {
			burst := Work{Util: 70, Memory: 45, Power: 330, Clock: 1980, NVLink: 6 * giga, TX: 2 * giga, RX: 5 * giga,
				Used: 50}
			return Job{Does: r.alone(func(int) Program {
				return pauses(r.bursts(50*sec, 45*sec), burst, ready)
			}), Runs: r.programs("dask-cuda-worker")}
		},
	},
	{
		Name:  "n04 gmx multidir",
		About: "8 simulations of GROMACS, replicas that exchange every 10 s by MPI",
		Build: func(r *rig) Job {
			md := Work{Util: 88, Memory: 12, Power: 380, Clock: 1950, TX: 30 * mega, RX: 30 * mega, Used: 2}
			return r.mpi("gmx_mpi", wobbling(4, 50*sec, 0.12, md))
		},
	},
	{
		Name:  "n05 NAMD",
		About: "one simulation for each GPU; they end after 55 to 80 min",
		Build: func(r *rig) Job {
			ends := func(g int) time.Duration { return 55*mins + time.Duration((g*7)%8)*200*sec }
			md := Work{Util: 93, Memory: 20, Power: 480, Clock: 1920, TX: 10 * mega, RX: 10 * mega, Used: 4}
			return Job{Does: does(func(at time.Duration, g int) Work {
				if at >= ends(g) {
					return resting
				}
				return md
			}), Runs: r.srun("namd3").ending(ends)}
		},
		Length: 78 * mins, Allowed: idleTells,
	},
	{
		Name:  "n06 packed array",
		About: "srun --exact for each of 8 tasks, always another one when one is done",
		Build: func(r *rig) Job {
			return r.tasks("simulate", r.trials(5*mins, 40*mins, 3*sec, 8*sec, 0.9))
		},
	},
	{
		Name:  "n07 LoRA sweep",
		About: "8 fine-tunings, equal but for a learning rate, which save at their own times",
		Build: func(r *rig) Job {
			lora := alone.with(func(w *Work) { w.Power, w.Memory = 560, 48 })
			return Job{Does: r.alone(func(int) Program {
				return pauses(r.every(8*mins, 35*sec), saving, lora)
			}), Runs: r.programs("python")}
		},
	},
	{
		Name: "n08 embedding", Nodes: 2,
		About: "embeddings of shards of unequal size, which end between 30 and 58 min",
		Build: func(r *rig) Job {
			ends := func(g int) time.Duration { return 30*mins + time.Duration((g*11)%16)*105*sec }
			embed := Work{Util: 92, Memory: 35, Power: 520, Clock: 1800, TX: 200 * mega, RX: 600 * mega, Used: 24}
			return Job{Does: does(func(at time.Duration, g int) Work {
				if at >= ends(g) {
					return resting
				}
				return wobbling(8, 25*sec, 0.08, embed)(at, g)
			}), Runs: r.srun("python").ending(ends)}
		},
		Length: 56 * mins, Allowed: idleTells,
	},
	{
		Name:  "n09 harness",
		About: "benchmarks of different length; each GPU takes another model when it is done",
		Build: func(r *rig) Job {
			return r.single("lm_eval", r.trials(90*sec, 11*mins, 20*sec, 55*sec, 0.5))
		},
	},
	{
		Name: "n10 MPS", GPUs: 2,
		About: "four small programs on each of 2 GPUs; now and then there is no work for one",
		Build: func(r *rig) Job {
			return Job{Does: r.alone(func(int) Program {
				return wobbling(10, 2*mins, 0.7, alone.light(330))
			}), Runs: r.programs("python")}
		},
	},
	{
		Name: "n11 debugging", GPUs: 2,
		About: "2 GPUs of a debug job: runs of a minute or two, with pauses to edit",
		Build: func(r *rig) Job {
			return r.torch(pauses(r.bursts(80*sec, 4*mins), train, resting))
		},
	},
	{
		Name: "n12 Jupyter", GPUs: 4,
		About: "a notebook with 4 GPUs of which it uses one",
		Build: func(r *rig) Job {
			return Job{Does: only(pauses(r.bursts(70*sec, 100*sec), alone, ready), resting, 0),
				Runs: r.oneForAll("python")}
		},
		Allowed: idleTells,
	},
	{
		Name: "n13 federated", GPUs: 4,
		About: "4 clients train for 5 to 8 min, then wait for the server's round",
		Build: func(r *rig) Job {
			return Job{Does: does(func(at time.Duration, g int) Work {
				round, into := uint64(at/(9*mins)), at%(9*mins)
				if into < 5*mins+time.Duration(unit(uint64(g), round)*float64(3*mins)) {
					return alone
				}
				return ready
			}), Runs: r.programs("python")}
		},
	},
	{
		Name:  "n14 two jobs in one",
		About: "4 GPUs train together, the other 4 each on its own, 50% used",
		Build: func(r *rig) Job {
			return r.single("python", where(first(4), train, wobbling(14, 4*mins, 0.6, alone.light(380))))
		},
	},
	{
		Name:  "n15 equal programs",
		About: "8 equal programs, whose phases drift: 3 min of work, 40 s of CPU",
		Build: func(r *rig) Job {
			return Job{Does: does(func(at time.Duration, g int) Work {
				period := 3*mins + 40*sec + time.Duration(g)*1700*time.Millisecond
				if at%period < 3*mins {
					return alone
				}
				return ready
			}), Runs: r.programs("simulate")}
		},
	},
	{
		Name:  "n16 slow input",
		About: "8 programs without traffic; one reads from a slow disk and is at 60%",
		Build: func(r *rig) Job {
			return r.tasks("python", only(wobbling(16, 40*sec, 0.15, mix(alone, ready, 0.4)), alone, 3))
		},
	},
}

// idleTells allows the finding that GPUs whose program has ended are idle.
var idleTells = kinds("idle")

// alone gives each GPU a program that depends on no other.
func (r *rig) alone(of func(gpu int) Program) does {
	programs := make([]Program, r.world())
	for g := range programs {
		programs[g] = of(g)
	}
	return func(at time.Duration, gpu int) Work { return programs[gpu].at(at, gpu) }
}

// trials gives each GPU one program after the other, with lengths and gaps between these limits. Each has a share of
// the usual utilization, of at least least.
func (r *rig) trials(shortest, longest, gapFrom, gapTo time.Duration, least float64) does {
	type trial struct {
		span
		load float64
	}
	all := make([][]trial, r.world())
	for g := range all {
		for at := -time.Duration(r.Float64() * float64(longest)); at < r.Length; {
			end := at + between(r.Rand, shortest, longest)
			all[g] = append(all[g], trial{span{at, end}, least + (1-least)*r.Float64()})
			at = end + between(r.Rand, gapFrom, gapTo)
		}
	}
	return func(at time.Duration, gpu int) Work {
		for _, t := range all[gpu] {
			if t.has(at) {
				return mix(ready, alone, t.load)
			}
		}
		return ready.with(func(w *Work) { w.Used = 2 })
	}
}

// bursts are spans of work, with pauses in between, both of which vary much.
func (r *rig) bursts(work, pause time.Duration) []span {
	var spans []span
	for at := time.Duration(r.Float64() * float64(pause)); at < r.Length; {
		s := span{at, at + between(r.Rand, work/3, work*5/3)}
		spans = append(spans, s)
		at = s.to + between(r.Rand, pause/4, pause*7/4)
	}
	return spans
}

func between(r *rand.Rand, a, b time.Duration) time.Duration {
	return a + time.Duration(r.Float64()*float64(b-a))
}
