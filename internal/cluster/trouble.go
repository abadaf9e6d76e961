package cluster

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// troubles keeps the time for all that has held on a node. Its memory is bounded: one spell and one past spell per Kind and place.
type troubles struct {
	reach, report track
	gpus          []*gpuTrack // only those with something to tell
	jobs          []*jobTrack // only those with something to tell, of jobs that were here with the last report
	whole         place       // the node
	looked        bool        // a report has come
}

// place is where something is wrong: a node, or a GPU of it.
type place struct {
	node   string
	number int    // of the GPU; NoNumber: the node, or a GPU without a number
	key    string // of the GPU; empty: the node
}

// jobTrack is the track of one job on the node.
type jobTrack struct {
	track
	id string
}

// gpuTrack is the track of one GPU, found by Key.
type gpuTrack struct {
	track
	place
	present bool // in the last report
}

// reached takes in how the node is reached at a moment.
func (t *troubles) reached(rules Rules, n *Node, at time.Time) {
	t.reach.step(rules(Subject{Scope: ScopeReach, Node: n}), moment{at: at, gap: math.MaxInt64})
}

// reported takes in the node's report.
func (t *troubles) reported(rules Rules, n *Node, jobs []*Job, at time.Time) {
	now := moment{at, n.patience(), !t.looked}
	t.looked = true
	t.report.step(rules(Subject{Scope: ScopeReport, Node: n}), now)
	t.ofJobs(rules, n, jobs, now)
	for _, g := range t.gpus {
		g.present = false
	}
	for i := range n.GPUs {
		g := &n.GPUs[i]
		held := rules(Subject{Scope: ScopeGPU, Node: n, GPU: g})
		if track := t.of(g, len(held) > 0); track != nil {
			track.present, track.place = true, place{n.Name, g.Number, g.Key}
			track.step(held, now)
		}
	}
	for _, g := range t.gpus {
		if !g.present {
			g.step(nil, now)
		}
	}
	crowded := len(t.gpus) > 2*maxGPUs
	t.gpus = slices.DeleteFunc(t.gpus, func(g *gpuTrack) bool { return g.empty() || crowded && !g.present })
}

// ofJobs takes in what the report means for each job on the node. What was kept of other jobs is dropped.
func (t *troubles) ofJobs(rules Rules, n *Node, jobs []*Job, now moment) {
	var kept []*jobTrack
	for _, job := range jobs {
		held := rules(Subject{Scope: ScopeJob, Node: n, Job: job})
		track := t.ofJob(job.ID)
		if track == nil && len(held) == 0 {
			continue
		}
		if track == nil {
			track = &jobTrack{id: job.ID}
		}
		if track.step(held, now); !track.empty() {
			kept = append(kept, track)
		}
	}
	t.jobs = kept
}

// ofJob is the track of a job; nil: there is none.
func (t *troubles) ofJob(id string) *jobTrack {
	if i := slices.IndexFunc(t.jobs, func(o *jobTrack) bool { return o.id == id }); i >= 0 {
		return t.jobs[i]
	}
	return nil
}

// of is the track of a GPU; where there is none, a new one if that is wanted, else nil.
func (t *troubles) of(g *GPU, wanted bool) *gpuTrack {
	if i := slices.IndexFunc(t.gpus, func(o *gpuTrack) bool { return o.key == g.Key }); i >= 0 {
		return t.gpus[i]
	}
	if !wanted {
		return nil
	}
	track := &gpuTrack{}
	t.gpus = append(t.gpus, track)
	return track
}

// notice is a spell at the place where it is told.
type notice struct {
	*spell
	*place
}

// notices are what is to be told of a job.
type notices struct {
	job       string
	now, past []notice
	since     time.Time // the job's start: what was over by then is not its
}

// add adds what is to be told of the job's node n at now.
func (all *notices) add(job *Job, n *Node, t *troubles, rules Rules, now time.Time) {
	minors, known := job.Minors[n.Name]
	withGPUs := !known || len(minors) > 0
	if held := rules(Subject{Scope: ScopeReach, Node: n}); len(held) > 0 || !t.reach.empty() {
		reach := t.reach.copy()
		reach.step(held, moment{at: now, gap: math.MaxInt64})
		all.addPlace(n, &t.whole, reach, true, withGPUs)
	}
	all.addPlace(n, &t.whole, t.report.asOf(now), n.State == NodeReporting, withGPUs)
	if track := t.ofJob(job.ID); track != nil {
		all.addPlace(n, &t.whole, track.asOf(now), n.State == NodeReporting, true)
	}
	for _, g := range t.gpus {
		if job.owns(n, &g.number) {
			all.addPlace(n, &g.place, g.asOf(now), n.hasNumbers() && g.present, true)
		}
	}
}

// addPlace adds what is to be told of one place. live says that something is known of it now. What has just ended is told only of nodes
// that stream, and of places where nothing critical holds: elsewhere it is of no account.
func (all *notices) addPlace(n *Node, at *place, t *track, live, withGPUs bool) {
	lingers := n.State == NodeReporting && !slices.ContainsFunc(t.spells, func(s spell) bool { return s.holds && s.Severity == Critical })
	for i := range t.spells {
		if s := &t.spells[i]; s.told && live && (s.holds || lingers && !s.last.Before(all.since)) && (withGPUs || !s.OfGPUs) {
			all.now = append(all.now, notice{s, at})
		}
	}
	for i := range t.past {
		if s := &t.past[i]; (withGPUs || !s.OfGPUs) && !s.last.Before(all.since) {
			all.past = append(all.past, notice{s, at})
		}
	}
}

// findings are JobView's Findings and Cleared.
func (all *notices) findings() (now, cleared []Finding) {
	now = all.findingsOf(all.now, len(all.now), func(a, b notice) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), b.since.Compare(a.since))
	})
	return now, all.findingsOf(all.past, maxCleared, func(a, b notice) int { return b.last.Compare(a.last) })
}

// findingsOf are the first notices, at most most. Those that are equal are in order of their places, then as they were.
func (all *notices) findingsOf(of []notice, most int, compare func(a, b notice) int) []Finding {
	slices.SortStableFunc(of, func(a, b notice) int {
		if c := compare(a, b); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.number, b.number))
	})
	of = of[:min(len(of), most)]
	out := slices.Grow([]Finding(nil), len(of))
	for _, t := range of {
		f := Finding{Kind: t.Kind, Class: t.Class, Severity: t.Severity, Since: t.since, Before: t.before, Times: t.times}
		f.Job, f.Node, f.GPU, f.Key = all.job, t.node, t.number, t.key
		if !t.holds {
			f.Over = t.last
		}
		out = append(out, f)
	}
	return out
}
