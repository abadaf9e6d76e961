package pace

import "time"

// Group is the GPUs of one model that are compared: the GPUs of one node, or of all nodes if the nodes are known to
// work together.
type Group struct {
	Model    uint64
	Node     int           // as GPU.Node, or Everywhere
	Part     bool          // the job has GPUs on nodes that are not compared with this one
	GPUs     []*GPU        // the GPUs that report their utilization
	Median   Numbers       // of the GPUs' means; of two values, the higher
	Lower    Numbers       // of the GPUs' means; of two values, the lower
	Usual    Numbers       // the usual Median while the job works
	usualLow Numbers       // the usual Lower, likewise
	Used     float32       // the median memory in use, in bytes; NaN: unknown
	Full     int           // number of GPUs with a utilization of at least FullFrom
	Near     int           // number of GPUs whose utilization and power are near the median
	Works    bool          // most of them work
	InStep   bool          // they work, nearly all of them equally
	Paused   bool          // they do not work in step, but only briefly so far, or did not until a moment ago
	Halted   time.Time     // beginning of that pause, or of the last one
	Evidence Evidence      // the evidence that they work together
	Parted   time.Time     // when a GPU was last seen idle while the others continued
	Spinning int           // number of GPUs that only wait for others
	Moving   int           // number of GPUs that do more than wait
	halted   int           // number of GPUs that have halted
	stood    time.Time     // when they last did not work in step; zero: long ago
	rested   bool          // they rested, at the last comparison
	streak   time.Duration // duration of the last time in step, apart from short slips
	slip     time.Duration // time out of step since streak
	once     bool          // streak was long at least once, and they have worked together since
	work     float64       // seconds of work; the last minutes count most
	inStep   float64       // seconds of work in step
	without  time.Duration // time for which a GPU is idle and the others continue
	halts    rhythm        // of the GPUs that have halted
	spins    rhythm        // of those that spin
	fell     time.Time     // when all last did less while one was slow
	uneven   time.Time     // when they last did not work in step, or most of them waited
	at       time.Time     // time of the last comparison
	past     groupPast
}

// Everywhere is the Node of a Group of all nodes.
const Everywhere = -1

// Together reports whether the GPUs are known to work together.
func (g *Group) Together() bool {
	return g.Evidence != None && (g.Parted.IsZero() || g.at.Sub(g.Parted) > apart || g.spins.latest.After(g.Parted))
}

// Coupled reports whether the GPUs work together and have nearly always worked in step. For few GPUs it is enough that
// they were in step once: a slow GPU would end their being in step.
func (g *Group) Coupled() bool {
	mostly := g.work >= settles.Seconds()/2 && g.inStep >= 0.8*g.work
	return g.Together() && (mostly || len(g.GPUs) < several && g.once)
}

// Lockstep reports whether the GPUs work in step now, and nearly always have. Just after a pause the averages still
// contain the pause.
func (g *Group) Lockstep() bool {
	return (g.InStep && g.at.Sub(g.uneven) > recovers || g.FellOut()) && g.Coupled()
}

// FellOut reports whether a group of few GPUs works, but has not been in step for longer than after a pause. If it was
// in step before, one of its GPUs may hold the others up. Of two GPUs that differ, neither is near the other.
func (g *Group) FellOut() bool {
	return g.Few() && g.Works && !g.Rests() && !g.stood.IsZero() && g.stood.Sub(g.Halted) > 2*recovers
}

// Differs reports whether the few GPUs of a group all exchange the same amount, though they have never been in step.
func (g *Group) Differs() bool {
	if !g.Few() || g.once || !g.Works || g.Rests() || !g.Together() {
		return false
	}
	for _, gpu := range g.GPUs {
		if !isNearOne(shareOfMedian(gpu.Mean[Link], g.Median[Link]), nearLink) {
			return false
		}
	}
	return true
}

// Few reports whether the group is so small that, of two GPUs that differ, either could be the right one.
func (g *Group) Few() bool { return len(g.GPUs) > 1 && len(g.GPUs) < several }

// Quiet reports whether the GPUs take little power and read no memory, as when they wait for each other, whatever their
// usual values are.
func (g *Group) Quiet() bool {
	return isQuiet(&g.Median, g.GPUs[0].Limit)
}

func isQuiet(n *Numbers, limit float32) bool {
	return n[Power] < quietPower*limit && n[Memory] <= quietMemory && !(n[Link] > LeastLink)
}

// byNode reports whether the GPUs within each node are equally busy, and so are the GPUs of at least half of the nodes.
func (g *Group) byNode() bool {
	if g.Node != Everywhere || g.Evidence == None {
		return false
	}
	nodes, even := 0, 0
	for from := 0; from < len(g.GPUs); {
		to, busy := from, 0
		for ; to < len(g.GPUs) && g.GPUs[to].Node == g.GPUs[from].Node; to++ {
			if isNearOne(g.GPUs[to].Share[Util], nearUtil) {
				busy++
			}
		}
		switch busy {
		case to - from:
			even++
		case 0:
		default:
			return false
		}
		nodes, from = nodes+1, to
	}
	return nodes > 1 && 2*even >= nodes
}

// Rests reports whether most GPUs did none of their usual work in their last samples.
func (g *Group) Rests() bool { return 2*g.halted > len(g.GPUs) }

// Others returns the value of the other GPUs of the group: the median. If the median lies between two halves, the
// faster half sets the pace: the half with the higher utilization and the higher clock; for power and memory traffic,
// the half without this GPU.
func (g *Group) Others(gpu *GPU, m Measure) float32 {
	if g.isUpper(gpu, m) {
		return g.Lower[m]
	}
	return g.Median[m]
}

// UsualOthers is the usual value of Others.
func (g *Group) UsualOthers(gpu *GPU, m Measure) float32 {
	if g.isUpper(gpu, m) {
		return g.usualLow[m]
	}
	return g.Usual[m]
}

// isUpper reports whether a GPU is compared with the lower half.
func (g *Group) isUpper(gpu *GPU, m Measure) bool {
	return gpu.Mean[m] >= g.Median[m] && m != Util && m != Clock
}

// Spins reports whether a GPU only waits for others: it always runs kernels, but the kernels read no memory, send
// nothing and take little power.
func (g *Group) Spins(gpu *GPU) bool {
	n := &gpu.Mean
	if n[Util] < FullFrom || !(n[Memory] <= spinMemory) || n[Link] > LeastLink && gpu.now[Link] > LeastLink &&
		!(n[Link] <= spinLink*g.Usual[Link]) {
		return false
	}
	usual := g.Usual[Power]
	if share := gpu.Usual[Power]; share == share {
		usual *= share
	}
	return n[Power] <= spinPower*usual || usual != usual && n[Power] < quietPower*gpu.Limit
}

// Slowed returns how much of its usual work the rest of a GPU's group does, as a share. It is measured by power, memory
// traffic and links: the lowest and the highest of these shares are returned; NaN: unknown.
func (g *Group) Slowed(gpu *GPU) (least, greatest float32) {
	least, greatest = unknown, unknown
	for _, m := range [...]Measure{Power, Memory, Link} {
		now := shareOfMedian(g.Others(gpu, m), g.UsualOthers(gpu, m))
		if now == now && !(now >= least) {
			least = now
		}
		if now == now && !(now <= greatest) {
			greatest = now
		}
	}
	return least, greatest
}

// Rate returns how much data the GPUs exchange, as a share of what is usual: each step moves the same amount; NaN:
// unknown.
func (g *Group) Rate() float32 { return shareOfMedian(g.Median[Link], g.Usual[Link]) }

// addStepTime adds the elapsed time to the time in step or to the time out of step, and reports whether the group was
// in step.
func (g *Group) addStepTime(passed time.Duration) bool {
	inStep := g.InStep && (len(g.GPUs) >= several || g.Near == len(g.GPUs))
	keep := 1 - float64(weightOf(passed, remembers))
	g.work, g.inStep = keep*g.work+passed.Seconds(), keep*g.inStep
	if !inStep {
		g.slip += passed
		return false
	}
	if g.slip > slips {
		g.streak = 0
	}
	g.streak, g.slip, g.inStep = g.streak+passed, 0, g.inStep+passed.Seconds()
	g.once = g.once || g.streak >= 2*settles
	return true
}
