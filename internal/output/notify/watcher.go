package notify

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/newsworthy"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// Watcher finds the news in Snapshots.
type Watcher struct {
	newsworthy.Settings
	Jobs []string // IDs, or those of arrays; none: all jobs
	Asks bool     // the ranks of jobs that seem to hang are asked what they do: that is part of the news

	began  time.Time                   // the first Snapshot
	open   map[string]*sight           // problems that are there, and those that a silent node hides
	before map[string]cluster.Severity // the problems that an earlier program has told, and how bad they were
	jobs   map[string]bool             // that run
	ran    map[string]cluster.Job      // that have run, and whose end is not known yet, by ID
	ended  map[string]bool             // whose end is told
	near   map[string]bool             // time limits that are told
	never  map[string]bool             // jobs that wait in vain
}

// sight is a problem that was seen.
type sight struct {
	Item
	told  bool
	ripe  bool // it is news now
	keeps time.Duration
	first time.Time // when it was first seen
	last  time.Time // likewise last
}

// resumes is the time in which a new Watcher must find again what an earlier one has told: a lag takes minutes.
const resumes = 15 * time.Minute

// NewWatcher returns a Watcher that knows nothing yet.
func NewWatcher(s newsworthy.Settings, jobs []string) *Watcher {
	return &Watcher{Settings: s, Jobs: jobs, open: map[string]*sight{}, before: map[string]cluster.Severity{},
		ran: map[string]cluster.Job{}, ended: map[string]bool{}, near: map[string]bool{}}
}

// critical is before the ID of a problem that was told as critical: it cannot become worse.
const critical = "critical "

// Told returns the problems that were told and hold, for Resume.
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

// Resume takes what an earlier Watcher has told. It is not told again.
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

// problemNews returns the problems that have become news, and the ends of those that were.
func (w *Watcher) problemNews(s *cluster.Snapshot) (news []Item) {
	now := map[string]*sight{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !OfJob(j.ID, j.Number, w.Jobs) {
			continue
		}
		for k := range j.Findings {
			w.noteFinding(s, j, &j.Findings[k], now)
		}
		if w.Wants(newsworthy.Memory) {
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
		case job == nil: // it has ended
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

// answersBy is the time for which the news that a job seems to hang waits for what its ranks do.
const answersBy = 40 * time.Second

// awaitsStacks reports whether the ranks of a job that seems to hang have not been asked what they do since it does.
func awaitsStacks(s *cluster.Snapshot, i *Item) bool {
	d := s.Stacks[i.Job]
	return i.Kind == cluster.KindJobHang && (d == nil || d.Time.Before(i.Since))
}

// problemItem returns the news of a problem that is there: it is news once, and again each time when it is worse than
// all that was told of it, as a warning that becomes critical. A node that does not respond, and then cannot be
// reached, is lost once.
func (o *sight) problemItem(now *sight) (Item, bool) {
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

// noteFinding notes a finding of a job. One that has just cleared is there as well, unless it was never told: it may
// return.
func (w *Watcher) noteFinding(s *cluster.Snapshot, j *cluster.JobView, f *cluster.Finding, now map[string]*sight) {
	p, wanted := w.Of(f)
	id := strings.Join([]string{string(f.Kind), f.Node, f.Key}, " ")
	switch {
	case f.Node == "":
		id += j.ID
	case p.Event == newsworthy.Node: // first it does not respond, then it cannot be reached
		id = "node " + f.Node
	}
	told := w.open[id] != nil && w.open[id].told // it may become milder
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
	now[id] = &sight{Item: i, ripe: lasts && (p.Event != newsworthy.Node || goesOn(s, f.Since))}
}

// unanswered is the time after which a lost node is news even if SLURM does not answer.
const unanswered = 2 * time.Minute

// goesOn reports whether SLURM has listed the jobs since a time.
func goesOn(s *cluster.Snapshot, since time.Time) bool {
	d := &s.Discovery
	return d.Command == "" || d.Answered.After(since) || s.At.Sub(since) > unanswered
}

// jobOf returns a job that runs, and that an Item is about; nil: there is none.
func jobOf(s *cluster.Snapshot, i *Item) *cluster.JobView {
	for k := range s.Jobs {
		if j := &s.Jobs[k]; j.ID == i.Job || i.Node != "" && slices.Contains(j.Nodes, i.Node) {
			return j
		}
	}
	return nil
}

// isUnobservable reports whether nobody can see whether a problem has ended: its node does not report, or one of the
// job's, or the job is suspended.
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

// jobStarts returns the jobs that have begun to run.
func (w *Watcher) jobStarts(s *cluster.Snapshot) (news []Item) {
	before, first := w.jobs, w.jobs == nil
	w.jobs = map[string]bool{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		w.jobs[j.ID] = true
		if !first && !before[j.ID] && j.ID != "" && !j.Start.Before(w.began) && OfJob(j.ID, j.Number, w.Jobs) &&
			w.Wants(newsworthy.Start) {
			news = append(news, ofStart(s, &j.Job))
		}
	}
	if s.Discovery.Answered.IsZero() {
		w.jobs = nil // the jobs of the first answer have not just begun
	}
	return news
}

// jobRequeues returns the jobs that ran, and wait again. SLURM lists them all the time.
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
		if j, ran := w.ran[id]; ran && w.Wants(newsworthy.Failure) && !w.jobs[id] {
			news = append(news, ofRequeue(s, &j))
		}
		delete(w.ran, id)
	}
	return news
}

// waitsInVain returns the jobs that can no longer start.
func (w *Watcher) waitsInVain(s *cluster.Snapshot) (news []Item) {
	before := w.never
	w.never = map[string]bool{}
	for i := range s.Discovery.Pending {
		p := &s.Discovery.Pending[i]
		array, _, _ := strings.Cut(p.ID, "_[")
		if !p.NeverStarts() || !OfJob(p.ID, array, w.Jobs) {
			continue
		}
		if w.never[p.ID] = true; !before[p.ID] && w.Wants(newsworthy.Failure) {
			news = append(news, ofNever(s, p))
		}
	}
	return news
}

// explained is the time in which SLURM should say how a job has ended.
const explained = 2 * time.Minute

// jobEnds returns the jobs that have ended since the first Snapshot.
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

// Ended returns the news of a job that has ended, also of one that was in no Snapshot.
func (w *Watcher) Ended(at time.Time, e *cluster.EndedJob) (Item, bool) {
	event := newsworthy.End
	if e.State.Bad() {
		event = newsworthy.Failure
	}
	if !w.Wants(event) || e.Start.IsZero() && event != newsworthy.Failure { // the user has canceled what never ran
		return Item{}, false
	}
	return ofEnd(at, e, event), true
}

// nearLimits returns the jobs that will soon reach their time limit. A job whose whole limit is short is no news.
func (w *Watcher) nearLimits(s *cluster.Snapshot) (news []Item) {
	before := w.near
	w.near = map[string]bool{}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		left := j.End.Sub(s.At)
		id := j.ID + j.End.Truncate(time.Minute).String()
		w.near[id] = before[id]
		if j.End.IsZero() || left <= 0 || left > w.TimeLeft || j.Limit < 2*w.TimeLeft || before[id] ||
			!OfJob(j.ID, j.Number, w.Jobs) || !w.Wants(newsworthy.Time) {
			continue
		}
		w.near[id] = true
		news = append(news, ofLimit(s, &j.Job, left))
	}
	return news
}

// endedItem is the end of a problem.
func (o *sight) endedItem(at time.Time) Item {
	i := o.Item
	i.At, i.Over = at, true
	i.Title = "over after " + text.Span(at.Sub(cmp.Or(i.Since, i.At))) + ": " + i.Title
	return i
}

// Expects reports whether a problem that an earlier Watcher has told may still be found.
func (w *Watcher) Expects(id string) bool {
	_, told := w.before[strings.TrimPrefix(id, critical)]
	return told
}
