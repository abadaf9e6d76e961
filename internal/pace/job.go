package pace

import (
	"slices"
	"time"
)

// Job is what is known of the work of a job's GPUs together.
type Job struct {
	Groups []Group       // by model
	Worked time.Time     // when a GPU of the job last worked, as of the last comparison; zero: none has
	Work   time.Duration // for how long most GPUs have worked, while watched
	Pause  time.Duration // the longest time without any work that ended
	at     time.Time
	since  time.Time // the job is watched without gaps

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

// Steady reports whether the job's GPUs work most of the time, except perhaps now.
func (j *Job) Steady() bool { return j.Work >= 2*settles && j.busy >= 0.6*j.total }

// Group is the GPUs of one model.
type Group struct {
	Model  uint64
	GPUs   []*GPU        // that report their utilization
	Median Numbers       // of their means; of two, the higher one
	Usual  Numbers       // the median, usually, while the job works
	Used   float32       // the median memory in use, in bytes; NaN: unknown
	Full   int           // GPUs at a utilization of at least FullFrom
	Near   int           // GPUs whose utilization and power are near the median
	Works  bool          // most of them work
	InStep bool          // they work, nearly all of them equally
	Paused bool          // they do not work in step, for a short time so far, or did not until a moment ago
	Halted time.Time     // when that pause began, or the last one
	halted int           // GPUs that have halted
	stood  time.Time     // when they were last seen not to work in step; zero: long ago
	streak time.Duration // for how long they were in step the last time, short slips aside
	slip   time.Duration // for how long they have not been in step since
	work   float64       // seconds of work, of which the last minutes count most
	inStep float64       // of these, in step
}

const (
	maxGroups = 8

	// BusyFrom is the median utilization from which the job works, FullFrom the utilization of a GPU that does nothing but run kernels, in percent.
	BusyFrom, FullFrom = 50, 95

	// nearUtil and nearPower are how far GPUs in step differ from the median at most.
	nearUtil, nearPower = 0.15, 0.25

	// GPUs are quiet below this share of their power limit and up to this percentage of memory traffic.
	quietPower, quietMemory = 0.3, 1

	// LeastLink is the fewest bytes per second that show that the GPUs of a job talk to each other.
	LeastLink = 16 << 20

	// longest is the longest time between two comparisons that counts.
	longest = time.Minute

	// remembers is the time constant of how long the GPUs of a job have worked in step.
	remembers = 10 * time.Minute

	// In a group of fewer than several GPUs one that differs could just as well be right. They must have worked in step for longer to show that
	// they belong together: without slips that are longer.
	several = 4
	proves  = 15 * time.Minute
	slips   = 90 * time.Second

	// settles is how long a job works until it is known what is usual.
	settles = time.Minute

	// Usual values follow higher ones within rises and lower ones within falls, but not those of a GPU or a job in trouble.
	rises, falls = 2 * time.Minute, 10 * time.Minute
	troubled     = 0.85 // share of the usual value
)

// Coupled reports whether the GPUs have nearly always worked in step.
func (g *Group) Coupled() bool {
	if len(g.GPUs) < several {
		return g.streak >= proves
	}
	return g.work >= settles.Seconds()/2 && g.inStep >= 0.8*g.work
}

// Lockstep reports whether the GPUs work in step now, and nearly always have.
func (g *Group) Lockstep() bool { return g.InStep && g.Coupled() }

// Quiet reports whether the GPUs take little power and read no memory, as when they wait for each other, whatever is usual for them.
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
	if at.Sub(j.at) > longest { // nobody knows whether it worked
		j.since, j.counted = at, at
	}
	j.at = at
	j.gather(gpus)
	worked := j.pause(gpus)
	busy := len(j.Groups) > 0
	for i := range j.Groups {
		g := &j.Groups[i]
		j.measure(g)
		g.pause(at)
		g.follow(passed, young)
		busy = busy && g.Works
	}
	if busy {
		j.Work += passed
	}
	if worked {
		j.count(at, busy)
	}
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

// gather sorts the GPUs by model.
func (j *Job) gather(gpus []*GPU) {
	for i := range j.Groups {
		j.Groups[i].GPUs = j.Groups[i].GPUs[:0]
	}
	at := 0
	for _, g := range gpus {
		if u := g.Mean[Util]; u != u || g.Out {
			continue
		}
		if at >= len(j.Groups) || j.Groups[at].Model != g.Model {
			if at = slices.IndexFunc(j.Groups, func(o Group) bool { return o.Model == g.Model }); at < 0 {
				if len(j.Groups) == maxGroups {
					at = 0
					continue
				}
				at = len(j.Groups)
				j.Groups = append(j.Groups, Group{Model: g.Model, Usual: nothing})
			}
		}
		j.Groups[at].GPUs = append(j.Groups[at].GPUs, g)
	}
	j.Groups = slices.DeleteFunc(j.Groups, func(g Group) bool { return len(g.GPUs) == 0 })
}

// pause notes when the job last worked, and how long its pauses are. It reports whether the job has worked since the last comparison.
func (j *Job) pause(gpus []*GPU) bool {
	last := j.Worked
	for _, g := range gpus {
		if g.Worked.After(last) {
			last = g.Worked
		}
	}
	worked := last.After(j.Worked)
	if worked && j.Worked.After(j.since) {
		j.Pause = max(j.Pause, last.Sub(j.Worked))
	}
	j.Worked = last
	return worked
}

// measure computes the medians of a group, and each GPU's share of them.
func (j *Job) measure(g *Group) {
	j.fill(g)
	for m := range Measures {
		g.Median[m] = median(j.columns[m])
	}
	g.Used = median(j.columns[Measures])
	g.Full, g.Near, g.halted = 0, 0, 0
	for _, gpu := range g.GPUs {
		for m := range Shares {
			gpu.Share[m] = share(gpu.Mean[m], g.Median[m])
		}
		if gpu.Mean[Util] >= FullFrom {
			g.Full++
		}
		if near(gpu.Share[Util], nearUtil) && !(gpu.Share[Power] == gpu.Share[Power] && !near(gpu.Share[Power], nearPower)) {
			g.Near++
		}
		if g.halts(gpu) {
			g.halted++
		}
	}
	g.Works = g.Median[Util] >= BusyFrom
	g.InStep = g.Works && len(g.GPUs) > 1 && 3*g.Near >= 2*(len(g.GPUs)-1)
}

// follow learns what is usual for the group and its GPUs.
func (g *Group) follow(passed time.Duration, young bool) {
	if !g.Works || g.Quiet() || young || passed == 0 {
		return
	}
	if !g.step(passed) {
		return
	}
	rise, fall, seconds := weightOf(passed, rises), weightOf(passed, falls), float32(passed.Seconds())
	if p := share(g.Median[Power], g.Usual[Power]); !(p < troubled) {
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
		for m := range usuals {
			if now, usual := gpu.Share[m], gpu.Usual[m]; young || now >= troubled*usual && (m == Util || now*troubled <= usual) {
				gpu.Usual[m] = followed(usual, now, rise, fall)
			}
		}
	}
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
