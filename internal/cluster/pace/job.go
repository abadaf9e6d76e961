package pace

import (
	"slices"
	"time"
)

// Job has what is known about the work of all GPUs of a job.
type Job struct {
	Groups  []Group       // by model
	Known   bool          // its GPUs are known to work together, whatever is observed
	Worked  time.Time     // when a GPU of the job last worked, as of the last comparison; zero: none has
	Work    time.Duration // time for which most GPUs have worked, while watched
	Resumed time.Time     // when the job continued after the last pause or standstill of at least the time halts
	Pause   time.Duration // the longest finished time without any work
	Moved   time.Time     // when more than one GPU last did more than wait for others
	Still   time.Duration // the longest finished time without such a moment; see Moved
	Stall   Stall         // the last one; zero: none
	Split   time.Time     // when its GPUs were last seen to have two roles
	// its nodes are seen to exchange data over their networks; false also where their counters do not show it
	Networked bool
	Apart     bool          // its nodes work but are not compared, because they show no exchange of data
	differ    bool          // they have two levels of traffic now, which may be roles; it is too early to compare them
	unlike    time.Duration // how long they differed, minus half of the time in which they did not
	swaps     float32       // share of the GPUs that changed their role; the last half hour counts most
	// Step is the time between two comparisons: the median of the last three, since a report may be lost; 0: unknown.
	Step    time.Duration
	steps   [3]time.Duration // the last ones
	stirred time.Time        // when a GPU last did more than wait for others
	at      time.Time
	since   time.Time // when the watch without gaps began
	across  bool      // its nodes work together
	grouped bool      // likewise, at the last comparison
	nodes   rhythm    // of the GPUs of all nodes

	stands standstills

	busy, total float64   // seconds in which most GPUs worked, and all seconds; the last minutes count most
	counted     time.Time // the last moment in total

	columns [Measures + 1][]float32 // memory for the numbers of a group: each Measure, and the memory in use
}

// Fork returns a Job with the same knowledge. It has no GPUs until the next Compare.
func (j *Job) Fork() Job {
	c := *j
	c.columns = [Measures + 1][]float32{}
	c.Groups = slices.Clone(j.Groups)
	for i := range c.Groups {
		c.Groups[i].GPUs = nil
	}
	return c
}

// Since is when the watch of the job without gaps began.
func (j *Job) Since() time.Time { return j.since }

// Steady reports whether the job's GPUs work most of the time, except perhaps now.
func (j *Job) Steady() bool { return j.Work >= 2*settles && j.busy >= 0.6*j.total }

const (
	// maxGroups is the maximum number of groups of a job. GPUs beyond it are compared with none.
	maxGroups = 4096

	// BusyFrom is the median utilization from which the job counts as working. FullFrom is the utilization of a GPU
	// that always runs kernels. Both are in percent.
	BusyFrom, FullFrom = 50, 95

	// nearUtil and nearPower are the largest differences from the median for GPUs in step. nearLink is the same for
	// traffic, if the GPUs meet in each step. A small group that is in step stays so with a difference in power of up
	// to stillNear: of two GPUs, a slow one is that far from the other.
	nearUtil, nearPower, nearLink = 0.15, 0.25, 0.2
	stillNear                     = 0.3

	// A GPU only waits if it has at most this percentage of memory traffic, this share of its usual traffic over links
	// and this share of its usual power. GPUs of light programs take half of their usual power when they wait.
	spinMemory, spinLink, spinPower = 2, 0.01, 0.6

	// A GPU is quiet below this share of its power limit, with at most this percentage of memory traffic.
	quietPower, quietMemory = 0.3, 1

	// halts is the length of a pause that restarts the time for which a GPU is idle beside others: in the pause no GPU
	// had work.
	halts = 2 * time.Minute

	// longest is the longest time between two comparisons that counts. Up to lost intervals are no gap: a report may be
	// lost.
	longest = time.Minute
	lost    = 3

	// remembers is the time constant of the record of work in step.
	remembers = 10 * time.Minute

	// In a group of fewer than several GPUs, the one that differs could be the right one, so such a group is in step
	// only if all are. Pauses show that its GPUs belong together if they have been in step for proves, without slips
	// longer than that limit.
	several = 4
	proves  = 15 * time.Minute
	slips   = 90 * time.Second

	// apartAfter is how long a job works before its nodes are said to be compared each on its own.
	apartAfter = 5 * time.Minute

	// settles is how long a job works before its usual values are known.
	settles = time.Minute

	// Usual values follow higher values within rises and lower values within falls, except those of a GPU or a job in
	// trouble.
	rises, falls = 2 * time.Minute, 10 * time.Minute
	troubled     = 0.85 // share of the usual value
	steady       = 0.93 // share of the usual rate of steps
	differs      = 0.12 // share of the usual share
)

// Compare compares the GPUs that report. young means that the job is too young to learn usual values.
func (j *Job) Compare(at time.Time, gpus []*GPU, young bool) {
	step := max(at.Sub(j.at), 0)
	if j.at.IsZero() {
		step = 0
	}
	passed := min(step, longest)
	if j.at.IsZero() || step > max(longest, lost*j.Step) { // it is unknown whether the job worked
		j.since, j.counted = at, at
	}
	j.noteRoles(at, passed, gpus)
	j.at = at
	j.measureStep(step)
	j.groupGPUs(gpus)
	worked := j.notePauses(gpus)
	all, working, halted, moving := 0, 0, 0, 0
	for i := range j.Groups {
		g := &j.Groups[i]
		g.at = at
		j.measureGroup(g)
		g.catchUp(at)
		g.notePause(at)
		g.findCoupling(at, passed, j.Known)
		g.learnUsual(passed, young)
		g.recordMoment(young)
		if all, halted = all+len(g.GPUs), halted+g.halted; g.Works {
			working += len(g.GPUs)
		}
		moving += g.Moving
	}
	j.noteStall(at, halted, all, gpus)
	j.noteMotion(at, moving > 0, moving >= min(all, 2))
	if !j.across {
		j.nodes.noteHalted(at, halted, all)
	}
	busy := working > 0 && 3*working >= 2*all
	if busy {
		j.Work += passed
	}
	if worked {
		j.addIdleTime(at, busy)
	}
}

// measureStep measures the time since the last comparison.
func (j *Job) measureStep(step time.Duration) {
	if j.Step == 0 {
		j.steps = [3]time.Duration{step, step, step}
	}
	copy(j.steps[:], j.steps[1:])
	j.steps[2] = step
	sorted := j.steps
	slices.Sort(sorted[:])
	j.Step = sorted[1]
}

// noteMotion notes when the job last continued, and its longest standstill. stirs means that one GPU does more than
// wait, moves that more than one does.
func (j *Job) noteMotion(at time.Time, stirs, moves bool) {
	if stirs {
		if j.stirred.After(j.since) && at.Sub(j.stirred) >= halts { // GPUs that stood still in a hang had no work
			j.Resumed = at
		}
		j.stirred = at
	}
	if !moves {
		return
	}
	if j.Moved.After(j.since) {
		j.Still = max(j.Still, at.Sub(j.Moved))
		if at.Sub(j.Moved) >= halts { // GPUs that only waited for a working one had no work
			j.Resumed = at
		}
	}
	j.Moved = at
}

// addIdleTime adds the time since a GPU last worked. A pause counts only when it is over.
func (j *Job) addIdleTime(at time.Time, busy bool) {
	passed := at.Sub(j.counted)
	j.counted = at
	keep := 1 - float64(weightOf(passed, remembers))
	j.busy, j.total = keep*j.busy, keep*j.total+passed.Seconds()
	if busy {
		j.busy += min(passed, longest/2).Seconds()
	}
}

// groupGPUs sorts the GPUs into groups. They come node by node.
func (j *Job) groupGPUs(gpus []*GPU) {
	regrouped := j.makeUsualAbsolute(gpus)
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
		nodes.addGPU(g)
		if at = j.groupOf(g, at); at < 0 {
			at = 0
			continue
		}
		j.Groups[at].GPUs = append(j.Groups[at].GPUs, g)
	}
	across := nodes.nodesExchange()
	j.across = (j.Known && nodes.nodes > 1 || across || nodes.nodes > 1 && j.nodes.count >= enough) && !j.inRoles(j.at)
	j.Networked = nodes.nets > 1
	j.Apart = nodes.nodes > 1 && !j.across && !j.Networked && j.Work >= apartAfter && !j.inRoles(j.at)
	j.Groups = slices.DeleteFunc(j.Groups, func(g Group) bool { return len(g.GPUs) == 0 })
	for i := range j.Groups {
		if regrouped {
			j.rebaseShares(&j.Groups[i])
		}
		j.Groups[i].Part = nodes.nodes > 1 && j.Groups[i].Node != Everywhere
		for _, g := range j.Groups[i].GPUs {
			g.group = i
		}
	}
}

// groupOf returns the position of a GPU's group, which is most likely the given position or the next; negative: there
// are too many groups.
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
	fresh := Group{Model: g.Model, Usual: nothing, usualLow: nothing}
	if i := slices.IndexFunc(j.Groups, func(o Group) bool {
		return o.Model == g.Model &&
			(o.Node == Everywhere || node == Everywhere)
	}); i >= 0 {
		fresh = j.Groups[i] // the usual values of some GPUs are those of all
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

// notePauses notes when the job last worked, and how long its pauses were. It reports whether the job has worked since
// the last comparison.
func (j *Job) notePauses(gpus []*GPU) bool {
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

// measureGroup computes the medians of a group, and each GPU's share of the others' values.
func (j *Job) measureGroup(g *Group) {
	j.fillColumns(g)
	for m := range Measures {
		g.Lower[m], g.Median[m] = bothMedians(j.columns[m])
	}
	_, g.Used = bothMedians(j.columns[Measures])
	g.Full, g.Near, g.halted, g.Spinning, g.Moving = 0, 0, 0, 0, 0
	power := float32(nearPower)
	if g.Few() && g.InStep {
		power = stillNear
	}
	for _, gpu := range g.GPUs {
		for m := range Shares {
			gpu.Share[m] = shareOfMedian(gpu.Mean[m], g.Others(gpu, m))
		}
		if gpu.Mean[Util] >= FullFrom {
			g.Full++
		}
		if isNearOne(gpu.Share[Util], nearUtil) &&
			!(gpu.Share[Power] == gpu.Share[Power] && !isNearOne(gpu.Share[Power], power)) {
			g.Near++
		}
		if g.isHalted(gpu) {
			g.halted++
		}
		switch {
		case g.Spins(gpu):
			g.Spinning++
		case showsWork(gpu.now):
			g.Moving++
			gpu.Moved = g.at
		}
	}
	g.Works = g.Median[Util] >= BusyFrom
	roles := j.differ && g.Node == Everywhere
	g.InStep = g.Works && !roles && len(g.GPUs) > 1 && 3*g.Spinning < len(g.GPUs) &&
		(3*g.Near >= 2*(len(g.GPUs)-1) || g.byNode())
	if !g.InStep {
		g.uneven = g.at
	}
}
