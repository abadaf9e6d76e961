package shapes

import "time"

// Jobs of programs that do not need each other.
var independent = []Shape{
	{Name: "h16 evaluations", About: "8 programs train alone, and evaluate at other times",
		Does: own(pauses(every(12*mins, 100*sec), mix(alone, ready, 0.68), alone)), Runs: programs("python")},
	{Name: "h16b one differs", Runs: programs("python"), About: "the same; the model of one is small, so it is at 45%",
		Does: own(phases, phases, phases, phases, phases, phases, mix(alone, ready, 0.54), phases)},
	{Name: "h38 trials", About: "hyper-parameter trials of 4 to 15 min, with gaps of 20 to 60 s",
		Does: trials(4*mins, 15*mins, 20*sec, 60*sec, 0.75), Runs: programs("python")},
	{Name: "h39 differing trials", About: "the same; the trials differ much",
		Does: trials(3*mins, 20*mins, 20*sec, 60*sec, 0.3), Runs: programs("python")},
	{Name: "h44 shards", Length: 88 * mins, About: "srun -n8 over shards without traffic; ranks end well, one by one",
		Does: alone, Runs: srun("python"), Ends: oneByOne(25*mins, 9*mins, 5, 8), Allowed: idleTells},
	{Name: "h22 notebook", GPUs: 1, About: "somebody works in a notebook with one GPU",
		Does: pauses(bursts(20*sec, 12*mins), alone, ready.using(9)), Runs: programs("python")},
	{Name: "n01 shards with loaders", Length: 105 * mins, About: "the same with 2 GB/s of images over PCIe to each GPU",
		Does: wobbling(1, 30*sec, 0.1, alone.with(func(w *Work) { w.RX, w.TX = 2*giga, 150*mega })),
		Runs: srun("python"), Ends: oneByOne(70*mins, 5*mins, 3, 8), Allowed: idleTells},
	{Name: "n02 Ray Tune", Nodes: 2, GPUs: 4, About: "an actor for each trial: processes come and go on each GPU",
		Does: trials(2*mins, 9*mins, 8*sec, 25*sec, 0.6), Runs: programs("ray::Trainable")},
	{Name: "n03 Dask", About: "RAPIDS workers: bursts with shuffles over NVLink, then the scheduler's turn",
		Does: own(pauses(bursts(50*sec, 45*sec), Work{Util: 70, Memory: 45, Power: 330, Clock: 1980, NVLink: 6 * giga,
			TX: 2 * giga, RX: 5 * giga, Used: 50}, ready)), Runs: programs("dask-cuda-worker")},
	{Name: "n04 gmx multidir", About: "8 simulations of GROMACS, replicas that exchange every 10 s by MPI",
		Does: wobbling(4, 50*sec, 0.12,
			Work{Util: 88, Memory: 12, Power: 380, Clock: 1950, TX: 30 * mega, RX: 30 * mega, Used: 2}),
		Runs: mpirun("gmx_mpi")},
	{Name: "n05 NAMD", Length: 78 * mins, About: "one simulation for each GPU; they end after 55 to 80 min",
		Does: Work{Util: 93, Memory: 20, Power: 480, Clock: 1920, TX: 10 * mega, RX: 10 * mega, Used: 4},
		Runs: srun("namd3"), Ends: oneByOne(55*mins, 200*sec, 7, 8), Allowed: idleTells},
	{Name: "n06 packed array", About: "srun --exact for each of 8 tasks, always another one when one is done",
		Does: trials(5*mins, 40*mins, 3*sec, 8*sec, 0.9), Runs: srun("simulate")},
	{Name: "n07 LoRA sweep", About: "8 fine-tunings, equal but for a learning rate, which save at their own times",
		Does: own(pauses(every(8*mins, 35*sec), saving, alone.with(func(w *Work) { w.Power, w.Memory = 560, 48 }))),
		Runs: programs("python")},
	{Name: "n08 embedding", Nodes: 2, Length: 56 * mins,
		About: "embeddings of shards of unequal size, which end between 30 and 58 min",
		Does: wobbling(8, 25*sec, 0.08,
			Work{Util: 92, Memory: 35, Power: 520, Clock: 1800, TX: 200 * mega, RX: 600 * mega, Used: 24}),
		Runs: srun("python"), Ends: oneByOne(30*mins, 105*sec, 11, 16), Allowed: idleTells},
	{Name: "n09 harness", About: "benchmarks of different length; each GPU takes another model when it is done",
		Does: trials(90*sec, 11*mins, 20*sec, 55*sec, 0.5), Runs: programs("lm_eval")},
	{Name: "n10 MPS", GPUs: 2, About: "four small programs on each of 2 GPUs; now and then there is no work for one",
		Does: wobbling(10, 2*mins, 0.7, alone.light(330)), Runs: programs("python")},
	{Name: "n11 debugging", GPUs: 2, About: "2 GPUs of a debug job: runs of a minute or two, with pauses to edit",
		Does: pauses(bursts(80*sec, 4*mins), train, resting)},
	{Name: "n12 Jupyter", GPUs: 4, Allowed: idleTells, About: "a notebook with 4 GPUs of which it uses one",
		Runs: oneForAll("python"), Does: only(pauses(bursts(70*sec, 100*sec), alone, ready), resting, 0)},
	{Name: "n13 federated", GPUs: 4, About: "4 clients train for 5 to 8 min, then wait for the server's round",
		Does: where(func(at time.Duration, g int) bool {
			round, into := uint64(at/(9*mins)), at%(9*mins)
			return into < 5*mins+scattered(3*mins, uint64(g), round)
		}, alone, ready), Runs: programs("python")},
	{Name: "n14 two jobs in one", About: "4 GPUs train together, the other 4 each on its own, 50% used",
		Does: only(train, wobbling(14, 4*mins, 0.6, alone.light(380)), gpus(0, 4)...), Runs: programs("python")},
	{Name: "n15 equal programs", About: "8 equal programs, whose phases drift: 3 min of work, 40 s of CPU",
		Does: where(func(at time.Duration, g int) bool {
			return at%(3*mins+40*sec+time.Duration(g)*1700*time.Millisecond) < 3*mins
		}, alone, ready), Runs: programs("simulate")},
	{Name: "n16 slow input", About: "8 programs without traffic; one reads from a slow disk and is at 60%",
		Does: only(wobbling(16, 40*sec, 0.15, mix(alone, ready, 0.4)), alone, 3), Runs: srun("python")},
}

// phases is a program that evaluates now and then.
var phases = pauses(every(15*mins, 60*sec), mix(alone, ready, 0.5), alone)

// idleTells allows the finding that GPUs whose program has ended are idle.
var idleTells = kinds("idle")

// trials gives each GPU one program after the other, with lengths and gaps between these limits. Each has a share of
// the usual utilization, of at least least.
func trials(shortest, longest, gapFrom, gapTo time.Duration, least float64) Program {
	return own(drawn(func(r *rig) does {
		var spans []span
		var loads []float64
		for at := -time.Duration(r.Float64() * float64(longest)); at < r.Length; {
			end := at + r.between(shortest, longest)
			spans, loads = append(spans, span{at, end}), append(loads, least+(1-least)*r.Float64())
			at = end + r.between(gapFrom, gapTo)
		}
		return func(at time.Duration, _ int) Work {
			if i, in := within(spans, at); in {
				return mix(ready, alone, loads[i])
			}
			return ready.using(2)
		}
	}))
}
