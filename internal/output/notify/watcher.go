package notify

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// Watcher finds the news in Snapshots.
type Watcher struct {
	say.NewsSettings
	Jobs []string // IDs of jobs or of arrays; none: all jobs
	Asks bool     // ranks of jobs that seem to hang are asked what they do, and that is part of the news

	began  time.Time                   // time of the first Snapshot
	open   map[string]*seenProblem     // present problems, and those that a silent node hides
	before map[string]cluster.Severity // problems that an earlier program reported, and how bad they were
	jobs   map[string]bool             // running jobs
	ran    map[string]cluster.Job      // jobs that ran and whose end is not known yet, by ID
	ended  map[string]bool             // jobs whose end was reported
	near   map[string]bool             // jobs whose time limit was reported
	never  map[string]bool             // jobs that wait in vain
}

// seenProblem is a problem that has been seen.
type seenProblem struct {
	Item
	told  bool
	ripe  bool // it is news now
	keeps time.Duration
	first time.Time // when it was first seen
	last  time.Time // when it was last seen
}

// resumes is how long a new Watcher has to find again what an earlier one reported: a lag takes minutes to find.
const resumes = 15 * time.Minute

// NewWatcher returns a Watcher that knows nothing yet.
func NewWatcher(s say.NewsSettings, jobs []string) *Watcher {
	return &Watcher{NewsSettings: s, Jobs: jobs, open: map[string]*seenProblem{}, before: map[string]cluster.Severity{},
		ran: map[string]cluster.Job{}, ended: map[string]bool{}, near: map[string]bool{}}
}

// critical comes before the ID of a problem that was reported as critical: such a problem cannot get worse.
const critical = "critical "

// Told returns the problems that were reported and still hold, for Resume.
func (w *Watcher) Told() (ids []string) {
	for id, o := range w.open {
		if o.told && o.Severity >= cluster.Critical {
			id = critical + id
		}
		if o.told {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Resume takes over what an earlier Watcher reported. It is not reported again.
func (w *Watcher) Resume(ids []string) {
	for _, id := range ids {
		if of, is := strings.CutPrefix(id, critical); is {
			w.before[of] = cluster.Critical
		} else {
			w.before[id] = max(w.before[id], cluster.Warning)
		}
	}
}

// See returns the news in the next Snapshot.
func (w *Watcher) See(s *cluster.Snapshot) (news []Item) {
	if w.began.IsZero() {
		w.began = s.At
	}
	if s.At.Sub(w.began) > resumes {
		clear(w.before)
	}
	news = append(news, w.jobStarts(s)...)
	news = append(news, w.problemNews(s)...)
	news = append(news, w.jobRequeues(s)...)
	news = append(news, w.waitsInVain(s)...)
	news = append(news, w.nearLimits(s)...)
	return append(news, w.jobEnds(s)...)
}

// problemNews returns the problems that have become news, and the ends of problems that were news.
func (w *Watcher) problemNews(s *cluster.Snapshot) (news []Item) {
	now := map[string]*seenProblem{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !OfJob(j.ID, j.Number, w.Jobs) {
			continue
		}
		for k := range j.Findings {
			w.noteFinding(s, j, &j.Findings[k], now)
		}
		if w.Wants(say.EventMemory) {
			w.noteForecast(s, j, now)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(now)) {
		o, known := w.open[id]
		if !known {
			o = now[id]
			o.first = s.At
			if as, told := w.before[id]; told {
				o.told, o.Severity = true, max(o.Severity, as)
			}
			w.open[id] = o
			delete(w.before, id)
		}
		if o.last = s.At; w.Asks && !o.told && awaitsStacks(s, &now[id].Item) && s.At.Sub(o.first) < answersBy {
			continue
		}
		if i, is := o.problemItem(now[id]); is {
			news = append(news, i)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.open)) {
		o := w.open[id]
		switch job := jobOf(s, &o.Item); {
		case now[id] != nil:
		case job == nil: // the job has ended
			delete(w.open, id)
		case isUnobservable(s, job, &o.Item), s.At.Sub(o.last) < o.keeps:
		default:
			delete(w.open, id)
			if o.told {
				news = append(news, o.endedItem(s.At))
			}
		}
	}
	return news
}

// answersBy is how long the news that a job seems to hang waits for what its ranks do.
const answersBy = 40 * time.Second

// awaitsStacks reports whether a job seems to hang and its ranks have not been asked since what they do.
func awaitsStacks(s *cluster.Snapshot, i *Item) bool {
	d := s.Stacks[i.Job]
	return i.Kind == cluster.KindJobHang && (d == nil || d.Time.Before(i.Since))
}

// problemItem returns the news of a present problem. A problem is news once, and again each time it gets worse than
// anything reported about it, such as a warning that becomes critical. A node that first does not respond and then
// cannot be reached is lost only once.
func (o *seenProblem) problemItem(now *seenProblem) (Item, bool) {
	worse := o.told && now.Kind == o.Kind && now.Severity > o.Severity
	if !now.ripe || o.told && !worse {
		return Item{}, false
	}
	o.Item, o.told = now.Item, true
	i := o.Item
	if worse {
		i.Title = "worse: " + i.Title
	}
	return i, true
}

// noteFinding notes a finding of a job. A finding that has just cleared still counts, unless it was never reported: it
// may return.
func (w *Watcher) noteFinding(s *cluster.Snapshot, j *cluster.JobView, f *cluster.Finding,
	now map[string]*seenProblem) {
	p, wanted := w.Of(f)
	id := strings.Join([]string{string(f.Kind), f.Node, f.Key}, " ")
	switch {
	case f.Node == "":
		id += j.ID
	case p.Event == say.EventNode: // first it does not respond, then it cannot be reached
		id = "node " + f.Node
	}
	told := w.open[id] != nil && w.open[id].told // it may have become milder
	if !told && !wanted || f.Severity == cluster.Waiting {
		return
	}
	if o := now[id]; o != nil && o.ripe {
		return // of another job on the node
	}
	i := ofFinding(s, j, f, p.Event)
	if o := w.open[id]; o != nil && o.Since.Before(i.Since) {
		i.Since = o.Since
	}
	lasts := wanted && f.Holds() && s.At.Sub(i.Since) >= p.Lasts
	now[id] = &seenProblem{Item: i, ripe: lasts && (p.Event != say.EventNode || goesOn(s, f.Since))}
}

// unanswered is after how long a lost node is news even if SLURM does not answer.
const unanswered = 2 * time.Minute

// goesOn reports whether SLURM has listed the jobs since a time.
func goesOn(s *cluster.Snapshot, since time.Time) bool {
	d := &s.Discovery
	return d.Command == "" || d.Answered.After(since) || s.At.Sub(since) > unanswered
}

// jobOf returns the running job that an Item is about; nil: there is none.
func jobOf(s *cluster.Snapshot, i *Item) *cluster.JobView {
	for k := range s.Jobs {
		if j := &s.Jobs[k]; j.ID == i.Job || i.Node != "" && slices.Contains(j.Nodes, i.Node) {
			return j
		}
	}
	return nil
}

// isUnobservable reports whether nobody can see if a problem has ended: its node, or a node of the job, does not
// report, or the job is suspended.
func isUnobservable(s *cluster.Snapshot, j *cluster.JobView, i *Item) bool {
	reports := func(name string) bool { return s.Nodes[name] != nil && s.Nodes[name].State == cluster.NodeReporting }
	switch {
	case i.Kind == cluster.KindSilence:
		return !slices.ContainsFunc(j.Nodes, reports)
	case i.Node != "":
		return !reports(i.Node)
	}
	return j.Suspended || slices.ContainsFunc(j.Nodes, func(name string) bool { return !reports(name) })
}

// jobStarts returns the news of jobs that have begun to run.
func (w *Watcher) jobStarts(s *cluster.Snapshot) (news []Item) {
	before, first := w.jobs, w.jobs == nil
	w.jobs = map[string]bool{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		w.jobs[j.ID] = true
		if !first && !before[j.ID] && j.ID != "" && !j.Start.Before(w.began) && OfJob(j.ID, j.Number, w.Jobs) &&
			w.Wants(say.EventStart) {
			news = append(news, ofStart(s, &j.Job))
		}
	}
	if s.Discovery.Answered.IsZero() {
		w.jobs = nil // the jobs in the first answer have not just begun
	}
	return news
}

// jobRequeues returns the news of jobs that ran and now wait again. SLURM lists them all the time.
func (w *Watcher) jobRequeues(s *cluster.Snapshot) (news []Item) {
	for i := range s.Jobs {
		if j := &s.Jobs[i].Job; j.ID != "" && OfJob(j.ID, j.Number, w.Jobs) {
			w.ran[j.ID] = *j
		}
	}
	for i := range s.Discovery.Ended {
		if e := &s.Discovery.Ended[i]; !e.Missed.IsZero() {
			delete(w.ran, e.ID)
		}
	}
	for i := range s.Discovery.Pending {
		id := s.Discovery.Pending[i].ID
		if j, ran := w.ran[id]; ran && w.Wants(say.EventFailure) && !w.jobs[id] {
			news = append(news, ofRequeue(s, &j))
		}
		delete(w.ran, id)
	}
	return news
}

// waitsInVain returns the news of jobs that can no longer start.
func (w *Watcher) waitsInVain(s *cluster.Snapshot) (news []Item) {
	before := w.never
	w.never = map[string]bool{}
	for i := range s.Discovery.Pending {
		p := &s.Discovery.Pending[i]
		array, _, _ := strings.Cut(p.ID, "_[")
		if !p.NeverStarts() || !OfJob(p.ID, array, w.Jobs) {
			continue
		}
		if w.never[p.ID] = true; !before[p.ID] && w.Wants(say.EventFailure) {
			news = append(news, ofNever(s, p))
		}
	}
	return news
}

// explained is how long SLURM has to say how a job ended.
const explained = 2 * time.Minute

// jobEnds returns the news of jobs that have ended since the first Snapshot.
func (w *Watcher) jobEnds(s *cluster.Snapshot) (news []Item) {
	before := w.ended
	w.ended = map[string]bool{}
	for i := range s.Discovery.Ended {
		e := &s.Discovery.Ended[i]
		id := e.Number + e.Missed.String()
		w.ended[id] = before[id]
		if e.Missed.IsZero() || e.Missed.Before(w.began) || before[id] || !OfJob(e.ID, e.Number, w.Jobs) ||
			e.Asking && s.At.Sub(e.Missed) < explained {
			continue
		}
		w.ended[id] = true
		if i, wanted := w.Ended(s.At, e); wanted {
			news = append(news, i)
		}
	}
	return news
}

// Ended returns the news of a job that has ended, even if it was in no Snapshot.
func (w *Watcher) Ended(at time.Time, e *cluster.EndedJob) (Item, bool) {
	event := say.EventEnd
	if e.State.Bad() {
		event = say.EventFailure
	}
	if !w.Wants(event) || e.Start.IsZero() && event != say.EventFailure { // the user canceled a job that never ran
		return Item{}, false
	}
	return ofEnd(at, e, event), true
}

// nearLimits returns the news of jobs that will soon reach their time limit. If the whole limit is short, there is no
// news.
func (w *Watcher) nearLimits(s *cluster.Snapshot) (news []Item) {
	before := w.near
	w.near = map[string]bool{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		left := j.End.Sub(s.At)
		id := j.ID + j.End.Truncate(time.Minute).String()
		w.near[id] = before[id]
		if j.End.IsZero() || left <= 0 || left > w.TimeLeft || j.Limit < 2*w.TimeLeft || before[id] ||
			!OfJob(j.ID, j.Number, w.Jobs) || !w.Wants(say.EventTime) {
			continue
		}
		w.near[id] = true
		news = append(news, ofLimit(s, &j.Job, left))
	}
	return news
}

// endedItem returns the news of the end of a problem.
func (o *seenProblem) endedItem(at time.Time) Item {
	i := o.Item
	i.At, i.Over = at, true
	i.Title = "over after " + text.Span(at.Sub(cmp.Or(i.Since, i.At))) + ": " + i.Title
	return i
}

// Expects reports whether a problem that an earlier Watcher reported may still be found.
func (w *Watcher) Expects(id string) bool {
	_, told := w.before[strings.TrimPrefix(id, critical)]
	return told
}
