package demo

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/source/demo/site"
)

// simDiscoverer is a controller that answers most of the time.
type simDiscoverer struct {
	world *world
	next  time.Duration
	last  cluster.Discovery
	logs  map[string]*joblog.Follower // of the jobs that run, by ID
}

// The command of a real discoverer, and its time limit.
const (
	question = "squeue --me --all --states=all"
	deadline = 10 * time.Second
)

const (
	askEvery                         = 30 * time.Second
	controllerGone, controllerBackAt = 138 * time.Second, 172 * time.Second
)

func (d *simDiscoverer) due() time.Duration { return d.next }

func (d *simDiscoverer) act(now time.Duration) []cluster.Event {
	d.next = d.nextAsk(now)
	return append([]cluster.Event{{Discovery: d.askJobs(now)}}, d.followLogs(now)...)
}

// logTail is how much of a log is read first, in bytes.
const logTail = 4 << 10

// followLogs reads how far the programs of the jobs are that run.
func (d *simDiscoverer) followLogs(now time.Duration) (events []cluster.Event) {
	was, at := d.logs, d.world.begin.Add(now)
	d.logs = map[string]*joblog.Follower{}
	for i := range d.last.Jobs {
		j := &d.last.Jobs[i]
		if j.Suspended {
			continue
		}
		f := was[j.ID]
		if f == nil {
			f = &joblog.Follower{}
		}
		d.logs[j.ID] = f
		want := f.Next()
		if want.From < 0 { // its lines are all alike: the last ones say as much, and nobody waits for their reading
			want.From, want.Max = -logTail, logTail
		}
		piece := d.world.jobLog(j.ID).Piece(joblog.Ask(j.ID, joblog.Out, want), at)
		f.Take(&piece)
		events = append(events, cluster.Event{Progress: &cluster.JobProgress{Job: j.ID, Progress: f.Progress(),
			Silence: f.Silence(at)}})
	}
	return events
}

// nextAsk returns the time of the next question: at the usual pace, and when a job begins or ends.
func (d *simDiscoverer) nextAsk(now time.Duration) time.Duration {
	next := now + askEvery
	if now < 0 {
		return min(next, 0)
	}
	for _, at := range []time.Duration{taskBegins, taskEnds} {
		at += now - now%cycle
		if at > now && at < next {
			next = at
		}
	}
	return next
}

func (d *simDiscoverer) instruct(now time.Duration, _ string, refresh bool) []cluster.Event {
	if !refresh {
		return nil
	}
	return d.act(now)
}

func (d *simDiscoverer) askJobs(now time.Duration) *cluster.Discovery {
	answer := cluster.Discovery{
		Command: question, User: me, Host: loginHost,
		Asked: d.world.begin.Add(now), Took: 40 * time.Millisecond, Next: d.world.begin.Add(d.next),
		Answered: d.last.Answered, Jobs: d.last.Jobs, Pending: d.last.Pending, Ended: d.last.Ended,
		Switches: d.last.Switches,
	}
	if isWithin(now, controllerGone, controllerBackAt) {
		answer.Took = deadline
		answer.Failure = site.NoController()
		return &answer
	}
	answer.Answered = answer.Asked
	answer.Jobs, answer.Pending, answer.Ended, answer.Switches = d.runningJobs(now), d.pendingJobs(now), d.endedJobs(now),
		d.world.under
	d.last = answer
	return &answer
}

// runningJobs returns the jobs that run at now.
func (d *simDiscoverer) runningJobs(now time.Duration) []cluster.Job {
	var jobs []cluster.Job
	for _, j := range d.world.jobs {
		start := j.start
		if d.world.isCanceled(j.Number, now) {
			continue
		}
		if start >= 0 {
			if !isWithin(now, j.start, j.end) {
				continue
			}
			start += now - now%cycle
		}
		j.Start = d.world.begin.Add(start)
		if !j.Suspended {
			j.End = j.Start.Add(j.Limit)
		}
		jobs = append(jobs, j.Job)
	}
	return jobs
}

// pendingJobs returns the jobs that wait at now. The task that comes and goes waits while it is not running.
func (d *simDiscoverer) pendingJobs(now time.Duration) []cluster.PendingJob {
	training := &d.world.jobs[0]
	all := 0
	for _, minors := range training.Minors {
		all += len(minors)
	}
	waiting := []cluster.PendingJob{{
		ID: "48390", Name: "llama-70b-cont", Partition: "gpu-long", Nodes: len(training.Nodes), GPUs: &all,
		Reason: "Priority",
		Start:  d.world.begin.Add(3*time.Hour + 10*time.Minute),
	}}
	one := 1
	if !isWithin(now, taskBegins, taskEnds) {
		waiting = append(waiting, cluster.PendingJob{
			ID: evalID + "_4", Name: "eval-mmlu", Partition: "gpu", Nodes: 1, GPUs: &one, Reason: "Resources",
		})
	}
	waiting = append(waiting, cluster.PendingJob{
		ID: evalID + "_[5-999%10]", Name: "eval-mmlu", Partition: "gpu", Nodes: 1, GPUs: &one,
		Reason: "JobArrayTaskLimit",
	})
	return slices.DeleteFunc(waiting, func(j cluster.PendingJob) bool { return d.world.isCanceled(j.ID, now) })
}

// endedJobs returns the jobs that ended before the story began, and those that were canceled, latest first.
func (d *simDiscoverer) endedJobs(now time.Duration) []cluster.EndedJob {
	var list []cluster.EndedJob
	add := func(j cluster.EndedJob, start, end time.Duration) {
		j.Start, j.End = d.world.begin.Add(start), d.world.begin.Add(end)
		j.Missed = j.End
		list = append(list, j)
	}
	for i := range d.world.jobs {
		j := &d.world.jobs[i]
		if d.world.isCanceled(j.Number, now) {
			add(cluster.EndedJob{
				ID: j.ID, Number: j.Number, Name: j.Name, Partition: j.Partition, Nodes: len(j.Nodes),
				State: cluster.JobCanceled, Exit: &cluster.Exit{Signal: 15},
			}, j.start, d.world.over[j.Number])
		}
	}
	slices.SortFunc(list, func(a, b cluster.EndedJob) int { return b.End.Compare(a.End) })
	one, four := 1, 4
	task := cluster.EndedJob{Name: "eval-mmlu", Partition: "gpu", Nodes: 1, GPUs: &one}
	failed := task
	failed.ID, failed.Number, failed.State, failed.Exit = failedTask, "48379", cluster.JobFailed, &cluster.Exit{Code: 3}
	failed.Cause = site.LogFailureReason()
	add(failed, -44*time.Minute, site.LogFailed)
	add(cluster.EndedJob{
		ID: timedOut, Number: timedOut, Name: "sweep-lr", Partition: "gpu", Nodes: 1, GPUs: &four,
		State: cluster.JobTimedOut, Exit: &cluster.Exit{},
	}, timedOutAt-4*time.Hour, timedOutAt)
	task.ID, task.Number, task.State, task.Exit = completed, "48378", cluster.JobCompleted, &cluster.Exit{}
	add(task, -71*time.Minute, completedAt)
	return slices.DeleteFunc(list, func(j cluster.EndedJob) bool { return d.world.begin.Add(now).Sub(j.End) > time.Hour })
}
