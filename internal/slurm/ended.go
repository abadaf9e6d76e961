package slurm

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

// The last maxEnded jobs that have ended are kept for keepEnded. More tasks of an array may end at once: up to
// maxAtOnce are kept for keepMore, so that anybody who watches sees each.
const (
	maxEnded  = 50
	keepEnded = time.Hour

	maxAtOnce = 2000
	keepMore  = 5 * time.Minute

	maxAsked = 500 // jobs in one question to sacct
)

// endedJob is a job that has ended or is ending, together with the source to ask next for its end state.
type endedJob struct {
	cluster.EndedJob
	ask endSource
}

// endedJobs are the jobs that have ended or are ending, the latest first.
type endedJobs []endedJob

// endSource is the source to ask next for a job's end state. Each source is asked once: an end state that neither knows
// stays unknown.
type endSource uint8

const (
	askAccounts   endSource = iota // sacct, about many jobs in one call
	askController                  // scontrol: slurmctld forgets a job after MinJobAge, by default 5 minutes
	askSteps                       // sacct, about the steps of jobs that failed: one may have run out of memory
	askNobody
)

// accounts records whether sacct answers here.
type accounts struct {
	none bool // there is no accounting
	retry
}

// keepEnded records which jobs have ended or are ending, and forgets old ones. These jobs either were listed before, or
// are listed with their end.
func (c *Client) keepEnded(records []record, now time.Time) {
	listed := make(map[string]*record, len(records))
	for i := range records {
		listed[records[i].number] = &records[i]
	}
	c.ended = slices.DeleteFunc(c.ended, func(e endedJob) bool {
		return !e.Missed.IsZero() && now.Sub(e.Missed) > keepEnded || e.startedAgain(listed[e.Number], now)
	})
	known := make(map[string]bool, len(c.ended))
	for i := range c.ended {
		e := &c.ended[i]
		known[e.Number] = true
		if r := listed[e.Number]; e.Missed.IsZero() && (r == nil || r.isOver(now)) {
			e.noteMissing(r, now)
		}
	}
	gone := func(number string) bool {
		r := listed[number]
		return number != "" && !known[number] && (r == nil || r.isEnding() || r.isOver(now))
	}
	for i := range c.jobs {
		if job := &c.jobs[i]; gone(job.Number) {
			known[job.Number] = true
			c.ended = append(c.ended, c.newEndedJob(job, listed[job.Number], now))
		}
	}
	for i := range c.pending {
		if p := &c.pending[i]; gone(p.number) && listed[p.number] == nil {
			known[p.number] = true
			c.ended = append(c.ended, p.newEndedJob(now))
		}
	}
	for i := range records {
		if r := &records[i]; (r.isEnding() || r.isOver(now)) && !known[r.number] {
			c.ended = append(c.ended, r.newEndedJob(now, !c.answered))
		}
	}
	c.ended = c.ended.withoutOld(now)
}

// startedAgain reports whether the present record of a job that has ended belongs to a later run.
func (e *endedJob) startedAgain(r *record, now time.Time) bool {
	switch {
	case r == nil || r.isEnding():
		return false
	case r.isOver(now):
		return !e.End.IsZero() && parseTime(r.end).After(e.End.Add(time.Second))
	}
	return true
}

// withoutOld forgets the oldest jobs, if there are too many.
func (l endedJobs) withoutOld(now time.Time) endedJobs {
	slices.SortStableFunc(l, latestFirst)
	l = l[:min(len(l), maxAtOnce)]
	for len(l) > maxEnded { // the last one is the oldest
		if last := &l[len(l)-1]; last.Missed.IsZero() || now.Sub(last.Missed) <= keepMore {
			break
		}
		l = l[:len(l)-1]
	}
	return l
}

// latestFirst orders jobs by their end, beginning with those that are still ending.
func latestFirst(a, b endedJob) int {
	if ending := b.Missed.IsZero(); a.Missed.IsZero() != ending {
		if ending {
			return 1
		}
		return -1
	}
	return b.Over().Compare(a.Over())
}

// newEndedJob makes an endedJob from a job that was listed; r is its present record, nil if it is no longer listed.
func (c *Client) newEndedJob(job *listedJob, r *record, now time.Time) endedJob {
	e := endedJob{EndedJob: cluster.EndedJob{
		ID: job.ID, Number: job.Number, Name: job.Name, Partition: job.Partition,
		Nodes: len(c.hosts[job.nodelist].names),
		GPUs:  countGPUs(c.gpus[job.Number].on), Start: job.Start, State: cluster.JobCompleting,
	}}
	if r == nil || r.isOver(now) {
		e.noteMissing(r, now)
	}
	return e
}

// noteMissing records that the job has ended; r is its present record, nil if it is no longer listed.
func (e *endedJob) noteMissing(r *record, now time.Time) {
	if e.Missed, e.State, e.Asking = now, "", true; r != nil {
		e.State, e.End = cluster.EndState(r.word), parseTime(r.end)
		e.Asking = e.State.Bad() // why
	}
}

// newEndedJob makes an endedJob from a job that was waiting and is no longer listed: it has begun and ended, or was
// canceled.
func (p *pendingJob) newEndedJob(now time.Time) endedJob {
	e := endedJob{EndedJob: cluster.EndedJob{ID: p.ID, Number: p.number, Name: p.Name, Partition: p.Partition,
		Nodes: p.Nodes, GPUs: p.GPUs}}
	e.noteMissing(nil, now)
	return e
}

// countGPUs returns the number of GPUs of a job; nil if SLURM has not given the number for each of its nodes.
func countGPUs(on map[string]ownGPUs) *int {
	total := 0
	if on == nil {
		return nil
	}
	for _, own := range on {
		total += own.count
	}
	return &total
}

// newEndedJob makes an endedJob from a job that is ending, or has ended, and was never seen running. A job in the first
// answer may have ended before anybody asked.
func (r *record) newEndedJob(now time.Time, first bool) endedJob {
	nodes, _ := strconv.Atoi(r.nodes)
	e := endedJob{EndedJob: cluster.EndedJob{
		ID: r.id, Number: r.number, Name: r.name, Partition: r.partition, Nodes: nodes,
		GPUs:  notation.RequestedGPUs(r.gres, nodes),
		Start: parseTime(r.start), State: cluster.JobCompleting,
	}}
	if !r.isOver(now) {
		return e
	}
	if e.noteMissing(r, now); !e.Start.Before(e.End) && e.State == cluster.JobCanceled {
		e.Start = time.Time{} // it never began
	}
	if first && !e.End.IsZero() && e.End.Before(now) {
		e.Missed = e.End
	}
	return e
}

// listEnded returns the ended jobs in the answer.
func (l endedJobs) listEnded() []cluster.EndedJob {
	var jobs []cluster.EndedJob
	for i := range l {
		jobs = append(jobs, l[i].EndedJob)
	}
	return jobs
}

// unexplainedJobs returns the jobs whose end state must still be requested.
func (l endedJobs) unexplainedJobs() (jobs []*endedJob) {
	for i := range l {
		if e := &l[i]; e.Asking {
			jobs = append(jobs, e)
		}
	}
	return jobs
}

// askEnds asks one question about end states: sacct about all jobs, or otherwise the controller about one job, or about
// the tasks of one array.
func (c *Client) askEnds(ctx context.Context, due []*endedJob) {
	ask := func(of endSource) []*endedJob {
		return slices.DeleteFunc(slices.Clone(due), func(e *endedJob) bool { return e.ask != of })
	}
	asks := !c.accounts.none && !time.Now().Before(c.accounts.again)
	if jobs := ask(askAccounts); len(jobs) > 0 && asks {
		c.askAccounts(ctx, jobs[:min(len(jobs), maxAsked)])
		return
	}
	if jobs := ask(askSteps); len(jobs) > 0 {
		c.askSteps(ctx, jobs[:min(len(jobs), maxEnded)], asks)
		return
	}
	for _, e := range due[min(len(due), maxEnded):] { // the controller is asked about few
		if !slices.ContainsFunc(due[:maxEnded], func(o *endedJob) bool { return arrayOf(o.ID) == arrayOf(e.ID) }) {
			e.ask, e.Asking = askNobody, false
		}
	}
	c.askController(ctx, firstWithArray(due))
}

// firstWithArray returns the first of the jobs, with the other tasks of its array.
func firstWithArray(jobs []*endedJob) []*endedJob {
	array := arrayOf(jobs[0].ID)
	return slices.DeleteFunc(slices.Clone(jobs), func(e *endedJob) bool { return arrayOf(e.ID) != array })
}

// arrayOf returns the ID of the array or heterogeneous job that a job belongs to; otherwise its own ID.
func arrayOf(id string) string {
	if cut := strings.IndexAny(id, "_+"); cut >= 0 {
		return id[:cut]
	}
	return id
}

// askAccounts asks sacct, which may not know yet that a job has ended.
func (c *Client) askAccounts(ctx context.Context, jobs []*endedJob) {
	ids := make([]string, len(jobs))
	for i, e := range jobs {
		ids[i] = e.nameInQuestion()
	}
	out, stderr, err := c.run.Within(ctx, "sacct", "--allocations", "--noheader", "--parsable2",
		"--jobs="+strings.Join(ids, ","), "--format=JobIDRaw,State,ExitCode,Start,End")
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		c.accounts.none = errors.Is(err, exec.ErrNotFound) ||
			bytes.Contains(stderr, []byte("accounting storage is disabled"))
		c.accounts.delayRetry(time.Now())
	}
	keepEnds(jobs, parseAccounts(out), askController)
}

// nameInQuestion returns what to call the job in a question: tasks of an array that wait have no name of their own.
func (e *endedJob) nameInQuestion() string {
	if strings.Contains(e.ID, "[") {
		return e.Number
	}
	return e.ID
}

// askSteps asks sacct which steps of failed jobs ran out of memory: the job itself ends with the exit code of its
// script, which does not tell.
func (c *Client) askSteps(ctx context.Context, jobs []*endedJob, asks bool) {
	var steps map[string]string
	if asks {
		ids := make([]string, len(jobs))
		for i, e := range jobs {
			ids[i] = e.Number
		}
		out, _, _ := c.run.Within(ctx, "sacct", "--noheader", "--parsable2", "--jobs="+strings.Join(ids, ","),
			"--format=JobIDRaw,State,ExitCode")
		if ctx.Err() != nil {
			return
		}
		steps = parseSteps(out)
	}
	for _, e := range jobs {
		e.OutOfMemory, e.ask, e.Asking = steps[e.Number], askNobody, false
	}
}

// askController asks the controller about one job, or about tasks of one array.
func (c *Client) askController(ctx context.Context, jobs []*endedJob) {
	id := jobs[0].nameInQuestion()
	if len(jobs) > 1 {
		id = arrayOf(id)
	}
	out, _, _ := c.run.Within(ctx, "scontrol", "show", "job", id) // a job that the controller has forgotten is an error
	if ctx.Err() != nil {
		return
	}
	keepEnds(jobs, parseEnded(out), askNobody)
}

// keepEnds stores the end states of jobs. The remaining jobs are left to the next source.
func keepEnds(jobs []*endedJob, ends map[string]jobEnd, next endSource) {
	for _, e := range jobs {
		how, known := ends[e.Number]
		e.ask, e.Asking = next, !known && next != askNobody
		if !known {
			continue
		}
		e.State, e.Exit = how.state, how.exit
		if !how.end.IsZero() {
			e.End = how.end
		}
		if !how.start.IsZero() {
			e.Start = how.start
		}
		if e.State == cluster.JobFailed {
			e.ask, e.Asking = askSteps, true
		}
	}
}
