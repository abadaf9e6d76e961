package watch

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/output/notify"
)

// progress is how far the jobs have come.
type progress struct {
	names []string // of the watched jobs; none: all
	began time.Time
	jobs  []*watchedJob
	byID  map[string]*watchedJob
	news  map[string]int // by job
	found bool           // SLURM or its accounting has listed a job

	arrays map[string]bool // whose tasks may begin and end unseen, between two questions to SLURM
	over   bool
}

// watchedJob is a job for which the command waits.
type watchedJob struct {
	ID     string           `json:"job"`
	Name   string           `json:"job_name,omitempty"`
	State  cluster.EndState `json:"job_state,omitempty"` // "": it has not ended, or SLURM does not say how
	Code   *int             `json:"exit_code,omitempty"`
	Signal int              `json:"signal,omitempty"`
	News   int              `json:"news"`

	Cause string `json:"cause,omitempty"` // why it failed, from its log

	words string // its end, or why it will have none
	ended bool
	never bool // it waits in vain
}

func newProgress(names []string, now time.Time) progress {
	return progress{names: names, began: now, byID: map[string]*watchedJob{}, news: map[string]int{},
		arrays: map[string]bool{}}
}

// watchedJob returns a watched job; nil: the job is not watched.
func (p *progress) watchedJob(id, number, name string) *watchedJob {
	if id == "" || !notify.OfJob(id, number, p.names) {
		return nil
	}
	p.found = true
	j := p.byID[id]
	if j == nil {
		j = &watchedJob{ID: id, Name: name}
		p.byID[id] = j
		p.jobs = append(p.jobs, j)
	}
	return j
}

// explained is how long SLURM has to say how a job ended.
const explained = 2 * time.Minute

// applySnapshot notes the jobs of the next Snapshot, and reports whether all jobs have ended.
func (p *progress) applySnapshot(s *cluster.Snapshot) (over bool, err error) {
	d := &s.Discovery
	if d.Answered.IsZero() && d.Command != "" {
		if d.Failure != nil && !p.found {
			return false, cli.Exit(cli.ExitNoJobs, fmt.Errorf("%s: %w", d.Command, d.Failure))
		}
		return false, nil
	}
	left := false
	for i := range s.Jobs {
		if j := p.watchedJob(s.Jobs[i].ID, s.Jobs[i].Number, s.Jobs[i].Name); j != nil || s.Jobs[i].ID == "" {
			left = true
			if j != nil {
				j.ended, j.never = false, false
			}
		}
	}
	for i := range d.Pending {
		left = p.notePending(&d.Pending[i]) || left
	}
	for i := range d.Ended {
		if e := &d.Ended[i]; e.Missed.IsZero() || e.Missed.After(p.began) {
			left = p.noteEnding(e, s.At) || left
		}
	}
	p.over = !left
	return p.over, nil
}

// notePending notes a pending job, and reports whether it may start. The tasks of an array that wait under one ID are
// not jobs yet. A task that is watched by its own ID counts as waiting, unless it is not among them or has begun.
func (p *progress) notePending(j *cluster.PendingJob) bool {
	id, _, array := strings.Cut(j.ID, "_[")
	if array {
		watched := notify.OfJob(id, "", p.names)
		for _, name := range p.names {
			if task, is := strings.CutPrefix(name, id+"_"); is && p.byID[name] == nil {
				waits, known := j.Has(task)
				watched = watched || waits || !known
			}
		}
		if watched {
			p.found, p.arrays[id] = true, true
		}
		return watched
	}
	of := p.watchedJob(j.ID, "", j.Name)
	if of == nil {
		return false
	}
	if of.never, of.ended = j.NeverStarts(), false; of.never {
		of.words = notify.InVain(j)
	}
	return !of.never
}

// noteEnding notes a job that is ending, and reports whether SLURM may still say how it ended.
func (p *progress) noteEnding(e *cluster.EndedJob, now time.Time) (waits bool) {
	j := p.watchedJob(e.ID, e.Number, e.Name)
	if j == nil {
		return false
	}
	if e.Missed.IsZero() || e.Asking && now.Sub(e.Missed) < explained {
		return true
	}
	j.end(e)
	return false
}

// end notes how the job ended.
func (j *watchedJob) end(e *cluster.EndedJob) {
	j.State, j.ended, j.never, j.words, j.Cause = e.State, true, false, notify.HowEnded(e), e.Cause
	if e.Exit != nil {
		j.Code, j.Signal = &e.Exit.Code, e.Exit.Signal
	}
}

// unknownJobs returns the jobs whose end must be looked up once the watch is over: those that are gone, and those that
// the user named but SLURM has not listed.
func (p *progress) unknownJobs() (ids []string) {
	for _, j := range p.jobs {
		if !j.ended && !j.never {
			ids = append(ids, j.ID)
		}
	}
	for _, name := range p.names {
		if !slices.ContainsFunc(p.jobs, func(j *watchedJob) bool { return notify.OfJob(j.ID, "", []string{name}) }) {
			ids = append(ids, name)
		}
	}
	return ids
}

// missingError returns the error if there was never anything to watch.
func (p *progress) missingError() error {
	switch {
	case p.found:
		return nil
	case len(p.names) == 0:
		return cli.Exit(cli.ExitNoJobs, errors.New("none of your jobs runs or waits"))
	}
	return cli.Exit(cli.ExitNoJobs, fmt.Errorf("none of your jobs is %s: it is another user's, or has ended",
		strings.Join(p.names, ", ")))
}

// finalError returns nil if every job has ended and completed. A job that is gone has not, as far as anybody knows.
func (p *progress) finalError() error {
	if p.over && !p.found {
		return p.missingError()
	}
	bad := 0
	for _, j := range p.jobs {
		if !j.ended || j.State != cluster.JobCompleted {
			bad++
		}
	}
	switch {
	case len(p.jobs) > 0 && !p.over && !p.allEnded():
		return cli.Exit(cli.ExitFailed, cli.ErrInterrupted)
	case bad == 1 && len(p.jobs) == 1 && !p.jobs[0].ended && !p.jobs[0].never:
		return cli.Exit(cli.ExitFailed, fmt.Errorf("how job %q ended is not known", p.jobs[0].ID))
	case bad == 1 && len(p.jobs) == 1:
		return cli.Exit(cli.ExitFailed, fmt.Errorf("job %q did not complete", p.jobs[0].ID))
	case bad > 0:
		return cli.Exit(cli.ExitFailed, fmt.Errorf("%d of %d jobs did not complete", bad, len(p.jobs)))
	}
	return nil
}

// allEnded reports whether each job that the user named has ended: the accounting may know more than SLURM's last
// answer.
func (p *progress) allEnded() bool {
	return len(p.names) > 0 && len(p.arrays) == 0 && len(p.unknownJobs()) == 0
}

// sumUp prints how each job ended, and how much news there was about it.
func (o *Options) sumUp() error {
	jobs, total := o.seen.jobs, 0
	for _, n := range o.seen.news {
		total += n
	}
	for _, j := range jobs {
		j.News = o.seen.news[j.ID]
	}
	if o.json {
		if jobs == nil {
			jobs = []*watchedJob{}
		}
		return json.NewEncoder(o.Out).Encode(struct {
			At    time.Time     `json:"at"`
			Event string        `json:"event"`
			Jobs  []*watchedJob `json:"jobs"`
			News  int           `json:"news"`
		}{time.Now().UTC(), "summary", jobs, total})
	}
	var b strings.Builder
	for _, j := range jobs {
		words := j.words
		switch {
		case j.ended, j.never:
		case o.seen.over:
			words = "is gone, and SLURM does not say how it ended"
		default:
			words = "has not ended"
		}
		fmt.Fprintf(&b, "%s: %s, %s\n", strings.TrimSpace(j.ID+" "+j.Name), words, countNotifications(j.News))
	}
	if len(jobs) != 1 {
		fmt.Fprintf(&b, "%d jobs, %s\n", len(jobs), countNotifications(total))
	}
	_, err := o.Out.WriteString(b.String())
	return err
}

func countNotifications(n int) string { return text.Plural(n, "notification", "notifications") }
