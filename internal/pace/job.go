package pace

import (
	"slices"
	"time"
)

// Job is what is known of the work of a job's GPUs together.
type Job struct {
	Groups  []Group       // by model
	Worked  time.Time     // when a GPU of the job last worked, as of the last comparison; zero: none has
	Work    time.Duration // for how long most GPUs have worked, while watched
	Resumed time.Time     // when the job went on after the last pause of at least halts
	Pause   time.Duration // the longest time without any work that ended
	Moved   time.Time     // when more than one GPU last did more than to wait for others
	Still   time.Duration // the longest time without that which ended
	at      time.Time
	since   time.Time // the job is watched without gaps
	across  bool      // its nodes work together
	nodes   rhythm    // of the GPUs of all nodes

	busy, total float64   // seconds in which most GPUs worked, and all; the last minutes count most
	counted     time.Time // the last moment in total

	columns [Measures + 1][]float32 // memory for the numbers of a group: each Measure, and the memory in use
}

// Fork returns a Job that knows the same. It has no GPUs until the next Compare.
func (j *Job) Fork() Job {
	c := *j
	c.columns = [Measures + 1][]float32{}
	c.Groups = slices.Clone(j.Groups)
	for i := range c.Groups {
		c.Groups[i].GPUs = nil
	}
	return c
}

// Since is since when the job is watched without gaps.
func (j *Job) Since() time.Time { return j.since }

// Steady reports whether the job's GPUs work most of the time, except perhaps now.
func (j *Job) Steady() bool { return j.Work >= 2*settles && j.busy >= 0.6*j.total }

// Group is the GPUs of one model that are compared: of one node, or of all nodes if those are known to work together.
type Group struct {
	Model    uint64
	Node     int           // as GPU.Node, or Everywhere
	GPUs     []*GPU        // that report their utilization
	Median   Numbers       // of their means; of two, the higher one
	Lower    Numbers       // of two, the lower one
	Usual    Numbers       // the median, usually, while the job works
	Used     float32       // the median memory in use, in bytes; NaN: unknown
	Full     int           // GPUs at a utilization of at least FullFrom
	Near     int           // GPUs whose utilization and power are near the median
	Works    bool          // most of them work
	InStep   bool          // they work, nearly all of them equally
	Paused   bool          // they do not work in step, for a short time so far, or did not until a moment ago
	Halted   time.Time     // when that pause began, or the last one
	Evidence Evidence      // that they work together
	Parted   time.Time     // when one was last seen to be idle while the others went on
	Spinning int           // GPUs that only wait for others
	Moving   int           // GPUs that do more than that
	halted   int           // GPUs that have halted
	stood    time.Time     // when they were last seen not to work in step; zero: long ago
	streak   time.Duration // for how long they were in step the last time, short slips aside
	slip     time.Duration // for how long they have not been in step since
	work     float64       // seconds of work, of which the last minutes count most
	inStep   float64       // of these, in step
	without  time.Duration // for how long one is idle and the others go on
	halts    rhythm        // of the GPUs that have halted
	spins    rhythm        // of those that spin
	fell     time.Time     // when all were last seen to do less while one was slow
	uneven   time.Time     // when they were last seen not to work in step, or most of them to wait
	at       time.Time     // of the last comparison
}

// Everywhere is the Node of a Group of all nodes.
const Everywhere = -1

const (
	// maxGroups is how many groups a job has at most: GPUs of further ones are compared with none.
	maxGroups = 4096

	// BusyFrom is the median utilization from which the job works, FullFrom the utilization of a GPU that does nothing
	// but run kernels, in percent.
	BusyFrom, FullFrom = 50, 95

	// nearUtil and nearPower are how far GPUs in step differ from the median at most.
	nearUtil, nearPower = 0.15, 0.25

	// GPUs only wait up to this percentage of memory traffic, this share of their usual traffic over links and this
	// share of their usual power: those of light programs take half as much as usual when they wait.
	spinMemory, spinLink, spinPower = 2, 0.01, 0.6

	// GPUs are quiet below this share of their power limit and up to this percentage of memory traffic.
	quietPower, quietMemory = 0.3, 1

	// halts is the length of a pause after which the time that a GPU is idle beside others counts anew: in the pause
	// none had work.
	halts = 2 * time.Minute

	// longest is the longest time between two comparisons that counts.
	longest = time.Minute

	// remembers is the time constant of how long the GPUs of a job have worked in step.
	remembers = 10 * time.Minute

	// In a group of fewer than several GPUs one that differs could just as well be right, so only all of them are in
	// step. Pauses show that they belong together if they have been so for proves, without slips that are longer.
	several = 4
	proves  = 15 * time.Minute
	slips   = 90 * time.Second

	// settles is how long a job works until it is known what is usual.
	settles = time.Minute

	// Usual values follow higher ones within rises and lower ones within falls, but not those of a GPU or a job in
	// trouble.
	rises, falls = 2 * time.Minute, 10 * time.Minute
	troubled     = 0.85 // share of the usual value
	differs      = 0.12 // of the usual share
)

// Together reports whether the GPUs are known to work together.
func (g *Group) Together() bool {
	return g.Evidence != None && (g.Parted.IsZero() || g.at.Sub(g.Parted) > apart || g.spins.latest.After(g.Parted))
}

// Coupled reports whether the GPUs work together, and have nearly always worked in step.
func (g *Group) Coupled() bool {
	mostly := g.work >= settles.Seconds()/2 && g.inStep >= 0.8*g.work
	return g.Together() && (mostly || len(g.GPUs) < several && g.streak >= 2*settles)
}

// Lockstep reports whether the GPUs work in step now, and nearly always have. Just after a pause the averages still
// tell of that.
func (g *Group) Lockstep() bool { return g.InStep && g.at.Sub(g.uneven) > recovers && g.Coupled() }

// Quiet reports whether the GPUs take little power and read no memory, as when they wait for each other, whatever is
// usual for them.
func (g *Group) Quiet() bool {
	return quiet(&g.Median, g.GPUs[0].Limit)
}

func quiet(n *Numbers, limit float32) bool {
	return n[Power] < quietPower*limit && n[Memory] <= quietMemory && !(n[Link] > LeastLink)
}

// Compare compares the GPUs that report. young says that the job is too young for what is usual.
func (j *Job) Compare(at time.Time, gpus []*GPU, young bool) {
	passed := min(max(at.Sub(j.at), 0), longest)
	if j.at.IsZero() {
		passed = 0
	}
	if j.at.IsZero() || at.Sub(j.at) > longest { // nobody knows whether it worked
		j.since, j.counted = at, at
	}
	j.at = at
	j.gather(gpus)
	worked := j.pause(gpus)
	all, working, halted, moving := 0, 0, 0, 0
	for i := range j.Groups {
		g := &j.Groups[i]
		g.at = at
		j.measure(g)
		g.pause(at)
		g.couple(at, passed)
		g.follow(passed, young)
		if all, halted = all+len(g.GPUs), halted+g.halted; g.Works {
			working += len(g.GPUs)
		}
		moving += g.Moving
	}
	j.move(at, moving >= min(all, 2))
	if !j.across {
		j.nodes.see(at, halted, all)
	}
	busy := working > 0 && 3*working >= 2*all
	if busy {
		j.Work += passed
	}
	if worked {
		j.count(at, busy)
	}
}

// move notes when the job last went on, and for how long it stood still.
func (j *Job) move(at time.Time, moves bool) {
	if !moves {
		return
	}
	if j.Moved.After(j.since) {
		j.Still = max(j.Still, at.Sub(j.Moved))
	}
	j.Moved = at
}

// count counts the time since a GPU last worked. A pause counts when it is over.
func (j *Job) count(at time.Time, busy bool) {
	passed := at.Sub(j.counted)
	j.counted = at
	keep := 1 - float64(weightOf(passed, remembers))
	j.busy, j.total = keep*j.busy, keep*j.total+passed.Seconds()
	if busy {
		j.busy += min(passed, longest/2).Seconds()
	}
}

// gather sorts the GPUs into groups. They come node by node.
func (j *Job) gather(gpus []*GPU) {
	for i := range j.Groups {
		j.Groups[i].GPUs = j.Groups[i].GPUs[:0]
	}
	var nodes reach
	at := 0
	for _, g := range gpus {
		g.group = -1
		if u := g.Mean[Util]; u != u || g.Out {
			continue
		}
		nodes.see(g)
		if at = j.groupOf(g, at); at < 0 {
			at = 0
			continue
		}
		j.Groups[at].GPUs = append(j.Groups[at].GPUs, g)
	}
	j.across = nodes.across() || nodes.nodes > 1 && j.nodes.count >= enough
	j.Groups = slices.DeleteFunc(j.Groups, func(g Group) bool { return len(g.GPUs) == 0 })
	for i := range j.Groups {
		for _, g := range j.Groups[i].GPUs {
			g.group = i
		}
	}
}

// groupOf returns the position of the group of a GPU, most likely this one or the next; negative: there are too many
// groups.
func (j *Job) groupOf(g *GPU, at int) int {
	node := g.Node
	if j.across {
		node = Everywhere
	}
	its := func(o *Group) bool { return o.Model == g.Model && o.Node == node }
	for i := at; i < min(at+2, len(j.Groups)); i++ {
		if its(&j.Groups[i]) {
			return i
		}
	}
	if i := slices.IndexFunc(j.Groups, func(o Group) bool { return its(&o) }); i >= 0 || len(j.Groups) >= maxGroups {
		return i
	}
	fresh := Group{Model: g.Model, Usual: nothing}
	if i := slices.IndexFunc(j.Groups, func(o Group) bool {
		return o.Model == g.Model &&
			(o.Node == Everywhere || node == Everywhere)
	}); i >= 0 {
		fresh = j.Groups[i] // what is usual for some is usual for all
		fresh.GPUs = nil
	}
	fresh.Node = node
	j.Groups = append(j.Groups, fresh)
	return len(j.Groups) - 1
}

// GroupOf returns the group of a GPU, nil if it is in none.
func (j *Job) GroupOf(g *GPU) *Group {
	if g.group < 0 || g.group >= len(j.Groups) {
		return nil
	}
	return &j.Groups[g.group]
}

// pause notes when the job last worked, and how long its pauses are. It reports whether the job has worked since the
// last comparison.
func (j *Job) pause(gpus []*GPU) bool {
	last := j.Worked
	for _, g := range gpus {
		if g.Worked.After(last) {
			last = g.Worked
		}
	}
	worked := last.After(j.Worked)
	if worked && last.Sub(j.Worked) >= halts {
		j.Resumed = last
	}
	if worked && j.Worked.After(j.since) {
		j.Pause = max(j.Pause, last.Sub(j.Worked))
	}
	j.Worked = last
	return worked
}

// measure computes the medians of a group, and each GPU's share of what the others have.
func (j *Job) measure(g *Group) {
	j.fill(g)
	for m := range Measures {
		g.Lower[m], g.Median[m] = medians(j.columns[m])
	}
	_, g.Used = medians(j.columns[Measures])
	g.Full, g.Near, g.halted, g.Spinning, g.Moving = 0, 0, 0, 0, 0
	for _, gpu := range g.GPUs {
		for m := range Shares {
			gpu.Share[m] = share(gpu.Mean[m], g.Others(gpu, m))
		}
		if gpu.Mean[Util] >= FullFrom {
			g.Full++
		}
		if near(gpu.Share[Util], nearUtil) &&
			!(gpu.Share[Power] == gpu.Share[Power] && !near(gpu.Share[Power], nearPower)) {
			g.Near++
		}
		if g.halting(gpu) {
			g.halted++
		}
		switch {
		case g.Spins(gpu):
			g.Spinning++
		case works(gpu.now):
			g.Moving++
			gpu.Moved = g.at
		}
	}
	g.Works = g.Median[Util] >= BusyFrom
	g.InStep = g.Works && len(g.GPUs) > 1 && 3*g.Spinning < len(g.GPUs) && (3*g.Near >= 2*(len(g.GPUs)-1) || g.byNode())
	if !g.InStep {
		g.uneven = g.at
	}
}

// byNode reports whether the GPUs are equally busy on each node, and those of at least half of the nodes equally busy.
func (g *Group) byNode() bool {
	if g.Node != Everywhere || g.Evidence == None {
		return false
	}
	nodes, even := 0, 0
	for from := 0; from < len(g.GPUs); {
		to, busy := from, 0
		for ; to < len(g.GPUs) && g.GPUs[to].Node == g.GPUs[from].Node; to++ {
			if near(g.GPUs[to].Share[Util], nearUtil) {
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

// Rests reports whether most GPUs did nothing of their usual work in their last samples.
func (g *Group) Rests() bool { return 2*g.halted > len(g.GPUs) }

// Others returns what the other GPUs of the group have: the median. If it lies between two halves, the faster one sets
// the pace, which has the higher utilization and the higher clock; of power and memory traffic that is the half that
// the GPU is not in.
func (g *Group) Others(gpu *GPU, m Measure) float32 {
	if gpu.Mean[m] >= g.Median[m] && m != Util && m != Clock {
		return g.Lower[m]
	}
	return g.Median[m]
}

// Spins reports whether a GPU only waits for others: it runs kernels all the time, which read no memory, send nothing
// and take little power.
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

// follow learns what is usual for the group and its GPUs.
func (g *Group) follow(passed time.Duration, young bool) {
	if !g.Works || g.Quiet() || passed == 0 || !g.step(passed) || young {
		return
	}
	rise, fall, seconds := weightOf(passed, rises), weightOf(passed, falls), float32(passed.Seconds())
	if p := share(g.Median[Power], g.Usual[Power]); !(p < troubled) {
		fall := fall
		if g.differs() {
			fall = 0
		}
		for m := range Measures {
			g.Usual[m] = followed(g.Usual[m], g.Median[m], rise, fall)
		}
	}
	for _, gpu := range g.GPUs {
		gpu.compared += seconds
		rise, fall := rise, fall
		young := gpu.compared < float32(settles/time.Second)
		if young { // at first it is the mean
			rise = min(seconds/gpu.compared, 1)
			fall = rise
		}
		for m := range Shares {
			if now, usual := gpu.Share[m], gpu.Usual[m]; young || now >= troubled*usual &&
				(m == Util || now*troubled <= usual) {
				gpu.Usual[m] = followed(usual, now, rise, fall)
			}
		}
	}
}

// differs reports whether a GPU is not in its usual relation to the others: all may be slow because of it.
func (g *Group) differs() bool {
	for _, gpu := range g.GPUs {
		for m, now := range gpu.Share {
			if usual := gpu.Usual[m]; now < (1-differs)*usual || now > (1+differs)*usual {
				return true
			}
		}
	}
	return false
}

// Slowed returns which share of its usual work the rest of a GPU's group does, as its power, memory traffic or links
// tell; NaN: unknown.
func (g *Group) Slowed(gpu *GPU) float32 {
	least := unknown
	for _, m := range [...]Measure{Power, Memory, Link} {
		if now := share(g.Others(gpu, m), g.Usual[m]); now == now && !(now >= least) {
			least = now
		}
	}
	return least
}

// step counts time in step, or not in step, and reports which.
func (g *Group) step(passed time.Duration) bool {
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
	return true
}

// followed returns the usual value after a new one, which has these weights if it is higher, and if it is lower.
func followed(usual, now, rise, fall float32) float32 {
	switch {
	case now != now:
		return usual
	case usual != usual:
		return now
	case now > usual:
		return usual + (now-usual)*rise
	}
	return usual + (now-usual)*fall
}
