package store

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/clean"
)

// maxCleared limits JobView.Cleared.
const maxCleared = 256

// nodeTracks has the tracks of a node. Its memory is bounded: one spell and one past spell per Kind and subject.
type nodeTracks struct {
	reach, report track
	gpus          []*gpuTrack // only those with spells
	jobs          []*jobTrack // only those with spells, of jobs on the node at the last report
	whole         nodeOrGPU   // the node
	looked        bool        // at least one report has arrived
	// IDs of the jobs on the node, as of the last step, whose GPUs SLURM has named
	told []string
}

// nodeOrGPU is a node or one of its GPUs.
type nodeOrGPU struct {
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
	nodeOrGPU
	present bool // in the last report
}

// stepReach steps the conditions that concern the connection to the node.
func (t *nodeTracks) stepReach(rules cluster.Rules, n *cluster.Node, at time.Time) {
	t.reach.stepSpells(rules(cluster.Subject{Scope: cluster.ScopeReach, Node: n}), stepTime{at: at, gap: math.MaxInt64})
}

// stepReport steps the conditions that concern the node's report.
func (t *nodeTracks) stepReport(rules cluster.Rules, n *cluster.Node, jobs []*jobCommon, at time.Time) {
	now := stepTime{at, n.Patience(), !t.looked}
	t.looked = true
	whole := rules(cluster.Subject{Scope: cluster.ScopeReport, Node: n})
	t.report.stepSpells(whole, now)
	t.ofJobs(rules, n, jobs, now)
	for _, g := range t.gpus {
		g.present = false
	}
	for i := range n.GPUs {
		g := &n.GPUs[i]
		held := slices.DeleteFunc(rules(cluster.Subject{Scope: cluster.ScopeGPU, Node: n, GPU: g}),
			func(c cluster.Condition) bool { return ofEvery(whole, c.Kind) })
		if track := t.trackOf(g, len(held) > 0); track != nil {
			track.dropSpells(whole)
			track.present, track.nodeOrGPU = true, nodeOrGPU{n.Name, g.Number, g.Key}
			track.stepSpells(held, now)
		}
	}
	for _, g := range t.gpus {
		if !g.present {
			g.stepSpells(nil, now)
		}
	}
	crowded := len(t.gpus) > 2*clean.MaxGPUs
	t.gpus = slices.DeleteFunc(t.gpus, func(g *gpuTrack) bool { return g.isEmpty() || crowded && !g.present })
}

// ofEvery reports whether one of these conditions of a node replaces conditions of this kind of its GPUs.
func ofEvery(whole []cluster.Condition, kind cluster.Kind) bool {
	return slices.ContainsFunc(whole, func(c cluster.Condition) bool { return c.Every && c.Kind == kind })
}

// stepJobs steps the conditions of the jobs when SLURM has answered between two reports. Findings about GPUs get the
// new numbers of their GPUs.
func (t *nodeTracks) stepJobs(rules cluster.Rules, n *cluster.Node, jobs []*jobCommon, at time.Time) {
	for i := range n.GPUs {
		if track := t.trackOf(&n.GPUs[i], false); track != nil {
			track.number = n.GPUs[i].Number
		}
	}
	t.ofJobs(rules, n, jobs, stepTime{at: at, gap: n.Patience()})
}

// ofJobs steps the conditions of each job on the node, and drops the tracks of other jobs. A job's first step is the
// first one after SLURM has said which GPUs the job has. A GPU that is missing in that step was missing before.
func (t *nodeTracks) ofJobs(rules cluster.Rules, n *cluster.Node, jobs []*jobCommon, now stepTime) {
	var kept []*jobTrack
	before := t.told
	t.told = nil
	for _, job := range jobs {
		now.first = !slices.Contains(before, job.ID)
		if job.Told(n.Name) {
			t.told = append(t.told, job.ID)
		}
		held := rules(cluster.Subject{Scope: cluster.ScopeJob, Node: n, Job: &job.Job, Common: &job.common,
			Discovery: job.disc, Progress: job.progress})
		track := t.ofJob(job.ID)
		if track == nil && len(held) == 0 {
			continue
		}
		if track == nil {
			track = &jobTrack{id: job.ID}
		}
		if track.stepSpells(held, now); !track.isEmpty() {
			kept = append(kept, track)
		}
	}
	t.jobs = kept
}

// ofJob returns the track of a job, nil if there is none.
func (t *nodeTracks) ofJob(id string) *jobTrack {
	if i := slices.IndexFunc(t.jobs, func(o *jobTrack) bool { return o.id == id }); i >= 0 {
		return t.jobs[i]
	}
	return nil
}

// trackOf returns the track of a GPU. If there is none, it returns a new one if wanted is set, otherwise nil.
func (t *nodeTracks) trackOf(g *cluster.GPU, wanted bool) *gpuTrack {
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

// spellNotice is a spell to report, with its subject and the earlier spells of its Kind; nil: none.
type spellNotice struct {
	*spell
	*nodeOrGPU
	earlier *spell
}

// notices are the spells to report for a job.
type notices struct {
	job       string
	now, past []spellNotice
	since     time.Time         // the job's start: spells that ended earlier do not concern it
	hush      *snapshotSilences // the silences of all nodes
}

// addSpells adds the spells of the job's node n at now.
func (all *notices) addSpells(job *cluster.Job, n *cluster.Node, t *nodeTracks, rules cluster.Rules, now time.Time) {
	count, known := job.GPUsOn(n.Name)
	withGPUs := !known || count > 0
	if held := rules(cluster.Subject{Scope: cluster.ScopeReach, Node: n}); len(held) > 0 || !t.reach.isEmpty() {
		reach := t.reach.copyTrack()
		reach.stepSpells(held, stepTime{at: now, gap: math.MaxInt64})
		covered := func(s spell) bool { return all.hush.coversSpell(n, &s) }
		reach.spells, reach.past = slices.DeleteFunc(reach.spells, covered), slices.DeleteFunc(reach.past, covered)
		all.addSubject(n, &t.whole, reach, true, withGPUs)
	}
	all.addSubject(n, &t.whole, t.report.asOf(now), n.State == cluster.NodeReporting, withGPUs)
	if track := t.ofJob(job.ID); track != nil {
		all.addSubject(n, &t.whole, track.asOf(now), n.State == cluster.NodeReporting, true)
	}
	if len(t.gpus) == 0 {
		return
	}
	share := job.Share(n)
	for _, g := range t.gpus {
		if share.Has(&g.number) {
			all.addSubject(n, &g.nodeOrGPU, g.asOf(now), n.HasNumbers() && g.present, true)
		}
	}
}

// addSubject adds the spells of one subject. live says that its state is known now. Spells that have just ended are
// reported only for reporting nodes, and only where nothing critical holds: elsewhere they do not matter.
func (all *notices) addSubject(n *cluster.Node, at *nodeOrGPU, t *track, live, withGPUs bool) {
	lingers := n.State == cluster.NodeReporting &&
		!slices.ContainsFunc(t.spells, func(s spell) bool { return s.holds && s.Severity == cluster.Critical })
	for i := range t.spells {
		if s := &t.spells[i]; s.told && live && (s.holds || lingers && !s.last.Before(all.since)) &&
			(withGPUs || !s.OfGPUs) {
			all.now = append(all.now, spellNotice{s, at, t.earlierSpells(s)})
		}
	}
	for i := range t.past {
		if s := &t.past[i]; (withGPUs || !s.OfGPUs) && !s.last.Before(all.since) {
			all.past = append(all.past, spellNotice{s, at, nil})
		}
	}
}

// earlierSpells returns the past spells of the same Kind; nil if there are none.
func (t *track) earlierSpells(than *spell) *spell {
	if i := slices.IndexFunc(t.past, func(p spell) bool { return p.Kind == than.Kind }); i >= 0 {
		return &t.past[i]
	}
	return nil
}

// firstIf compares so that true comes before false.
func firstIf(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// jobFindings returns JobView's Findings, those that hold first, and Cleared.
func (all *notices) jobFindings() (now, cleared []cluster.Finding) {
	now = all.findingsOf(all.now, len(all.now), func(a, b spellNotice) int {
		return cmp.Or(firstIf(a.holds, b.holds), cmp.Compare(b.Severity, a.Severity),
			firstIf(a.Kind.SlowsJob(), b.Kind.SlowsJob()), b.since.Compare(a.since))
	})
	return now, all.findingsOf(all.past, maxCleared, func(a, b spellNotice) int { return b.last.Compare(a.last) })
}

// findingsOf returns the first notices as Findings, at most most of them. Equal notices are sorted by subject.
func (all *notices) findingsOf(of []spellNotice, most int, compare func(a, b spellNotice) int) []cluster.Finding {
	slices.SortStableFunc(of, func(a, b spellNotice) int {
		if c := compare(a, b); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.number, b.number))
	})
	of = of[:min(len(of), most)]
	out := slices.Grow([]cluster.Finding(nil), len(of))
	for _, t := range of {
		f := cluster.Finding{Kind: t.Kind, Class: t.Class, Severity: t.Severity, Since: t.since, Before: t.before,
			Times: t.times, Every: t.Every, Compared: t.Compared, Silence: t.Silence}
		f.Job, f.Node, f.GPU, f.Key, f.Last = all.job, t.node, t.number, t.key, t.gap
		if e := t.earlier; e != nil {
			f.Earlier = cluster.Earlier{Times: e.times, Since: e.since}
			if f.Last.IsZero() {
				f.Last = e.last
			}
		}
		if !t.holds {
			f.Over = t.last
		}
		out = append(out, f)
	}
	return out
}
