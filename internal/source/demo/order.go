package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	slurmqueue "github.com/nvnodetop/nvnodetop/internal/slurm/queue"
	"github.com/nvnodetop/nvnodetop/internal/slurm/sacct"
	"github.com/nvnodetop/nvnodetop/internal/source/demo/site"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// demoRequest is a request to a node or to SLURM. Run carries it out, since it may change the world.
type demoRequest struct {
	node    string
	request *wire.Request // nil: to SLURM

	job, signal string
	counts      bool // the job is not canceled: its accounting is wanted

	done chan<- result // has room for the result
}

type result struct {
	reply   wire.Reply
	counted []sacct.Job
	err     error
}

// Ask sends a request to the simulated probe of a node and waits for its answer. A silent node never answers.
func (d *Demo) Ask(ctx context.Context, node string, r wire.Request) (wire.Reply, error) {
	got := d.sendOrder(ctx, demoRequest{node: node, request: &r})
	return got.reply, got.err
}

// Cancel ends a simulated job, or sends it a signal.
func (d *Demo) Cancel(ctx context.Context, job, signal string) error {
	return d.sendOrder(ctx, demoRequest{job: job, signal: signal}).err
}

// Log returns a piece of the simulated log of a job.
func (d *Demo) Log(_ context.Context, q joblog.Query) (joblog.Piece, error) {
	if !d.world.hasLog(q.Job) {
		return joblog.Piece{}, &reach.Failure{Class: reach.ClassSlurm, Short: fmt.Sprintf("no job %q", q.Job)}
	}
	return d.world.jobLog(q.Job).Piece(q, time.Now()), nil
}

// hasLog reports whether a job has a log: it runs, or has ended.
func (w *world) hasLog(job string) bool {
	return slices.Contains([]string{failedTask, timedOut, completed}, job) ||
		slices.ContainsFunc(w.jobs, func(j simJob) bool { return j.ID == job || j.Number == job })
}

// jobLog returns the simulated log of a job.
func (w *world) jobLog(job string) site.JobLog {
	l := site.JobLog{Begin: w.begin, User: me}
	switch job {
	case w.jobs[0].ID:
		l.Total = trainingSteps
		if w.hangs {
			l.End = w.begin.Add(told - hungFor)
		}
	case failedTask:
		l.End, l.Last = w.begin.Add(site.LogFailed), site.Traceback
	case timedOut:
		l.End = w.begin.Add(timedOutAt)
		l.Last = "slurmstepd-gpu-s11: error: *** JOB " + job + " ON gpu-s11 CANCELLED AT " +
			l.End.Format("2006-01-02T15:04:05") + " DUE TO TIME LIMIT ***\n"
	case completed:
		l.End = w.begin.Add(completedAt)
	}
	return l
}

// The jobs that ended before the story began: a task of an array that failed, a job that reached its time limit, and a
// task that completed.
const (
	failedTask = evalID + "_2"
	timedOut   = "48266"
	completed  = evalID + "_1"

	timedOutAt, completedAt = -26 * time.Minute, -39 * time.Minute
)

// trainingSteps is how many steps the training has. It ends shortly after its time limit.
const trainingSteps = 60_000

// Cluster returns the GPUs that the simulated SLURM can give to jobs. Jobs that the user canceled still have their
// GPUs.
func (d *Demo) Cluster(context.Context, bool) (*capacity.Cluster, error) {
	now := time.Now()
	if isWithin(now.Sub(d.world.begin), controllerGone, controllerBackAt) {
		return nil, site.NoController()
	}
	var nodes []site.Node
	for _, h := range d.world.hosts {
		n := site.Node{Name: h.name, Model: h.model.Name, GPUs: make([]site.Holder, len(h.gpus))}
		for g := range h.gpus {
			if u := h.gpus[g].use; u != nil {
				n.GPUs[g] = site.Holder{Job: u.job, User: u.user}
			}
		}
		nodes = append(nodes, n)
	}
	return site.Cluster(nodes, now), nil
}

// asksFor is how long the simulated SLURM takes for a question of six commands.
const asksFor = 2 * time.Second

// Waiting returns what the simulated SLURM says about a job that waits.
func (d *Demo) Waiting(ctx context.Context, job string) (*slurmqueue.Wait, error) {
	answers := time.NewTimer(asksFor)
	defer answers.Stop()
	select {
	case <-answers.C:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	now := time.Now()
	if isWithin(now.Sub(d.world.begin), controllerGone, controllerBackAt) {
		return nil, site.NoController()
	}
	pending := (&simDiscoverer{world: d.world}).pendingJobs(now.Sub(d.world.begin))
	at := slices.IndexFunc(pending, func(j cluster.PendingJob) bool { return j.ID == job })
	if at < 0 {
		return nil, site.UnknownJob(job)
	}
	return site.Wait(&pending[at], d.world.jobs[0].Nodes, now), nil
}

func (d *Demo) sendOrder(ctx context.Context, o demoRequest) result {
	done := make(chan result, 1)
	o.done = done
	select {
	case d.orders <- o:
	case <-ctx.Done():
		return result{err: context.Cause(ctx)}
	}
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
		return result{err: context.Cause(ctx)}
	}
}

// runOrder carries out an order.
func (d *Demo) runOrder(actors queue, o demoRequest, emit func(cluster.Event)) {
	now := time.Since(d.world.begin)
	if o.counts {
		o.done <- result{counted: (&simDiscoverer{world: d.world}).accountedJobs(o.job, now)}
		return
	}
	if o.request == nil {
		err := d.world.cancelJob(o.job, o.signal, now)
		o.done <- result{err: err}
		for _, a := range actors {
			if err == nil {
				d.emitEvents(now, a.notice(now), emit)
			}
		}
		return
	}
	for _, a := range actors {
		n, is := a.(*simNode)
		switch {
		case !is || n.host.name != o.node:
		case !n.isReporting():
			o.done <- result{err: fmt.Errorf("%q is not connected", o.node)}
			return
		case n.host.silentAt(now):
			return // no answer comes
		default:
			o.done <- result{reply: probe{n.host, d.world, now}.answerRequest(o.request)}
			return
		}
	}
	o.done <- result{err: fmt.Errorf("%q is not watched", o.node)}
}

// notice checks the jobs again soon after one was canceled.
func (d *simDiscoverer) notice(now time.Duration) []cluster.Event { return d.act(now) }

// notice leaves a node that has no job left.
func (n *simNode) notice(now time.Duration) []cluster.Event {
	if n.isJobless(now) {
		n.next = now
	}
	return nil
}

// isCanceled reports whether a job was canceled. A job that comes back in each round of the story does so even then.
func (w *world) isCanceled(number string, now time.Duration) bool {
	at, is := w.over[number]
	if !is {
		return false
	}
	for i := range w.jobs {
		if j := &w.jobs[i]; j.Number == number && j.start >= 0 {
			return now/cycle == at/cycle
		}
	}
	return true
}

// isDeserted reports whether no job of the user is left on a node.
func (w *world) isDeserted(h *host, now time.Duration) bool {
	for i := range w.jobs {
		j := &w.jobs[i]
		if _, on := j.Minors[h.name]; on && !w.isCanceled(j.Number, now) {
			return false
		}
	}
	return true
}

// hasProcess reports whether a process is on a GPU.
func (w *world) hasProcess(h *host, gpu int, now time.Duration) bool {
	s := &h.gpus[gpu]
	if !s.use.isActive(now) || w.isCanceled(s.use.job, now) {
		return false
	}
	return s.ended == 0 || now < s.ended || s.use.until != 0 && now/cycle != s.ended/cycle
}

// stoppedAt reports whether the process is stopped.
func (s *slot) stoppedAt(now time.Duration) bool { return s.stopped > 0 && now >= s.stopped }

// cancelJob ends a job, or sends its processes a signal.
func (w *world) cancelJob(job, signal string, now time.Duration) error {
	if isWithin(now, controllerGone, controllerBackAt) {
		return site.NoController()
	}
	number, known := w.numberOf(job, now)
	if !known {
		return site.UnknownJob(job)
	}
	if signal == "" {
		w.over[number] = now
		return nil
	}
	for _, h := range w.hosts {
		for g := range h.gpus {
			if w.hasProcess(h, g, now) && h.gpus[g].use.job == number {
				h.gpus[g].applySignal(wire.SignalNumber(signal), now)
			}
		}
	}
	return nil
}

// numberOf returns SLURM's number of a job that runs or waits.
func (w *world) numberOf(id string, now time.Duration) (number string, known bool) {
	d := &simDiscoverer{world: w}
	for _, j := range d.runningJobs(now) {
		if j.ID == id {
			return j.Number, true
		}
	}
	for _, j := range d.pendingJobs(now) {
		if j.ID == id {
			return id, true
		}
	}
	return "", false
}

// reschedule changes the nice value or the CPUs of the program in a slot.
func (s *slot) reschedule(to *wire.Schedule) {
	if to.Nice != nil {
		s.nice = *to.Nice
		return
	}
	s.cpus = to.CPUs
}

// applySignal applies a signal to a Python program in a slot. Signals that programs use for checkpoints leave it
// running.
func (s *slot) applySignal(number int, now time.Duration) {
	switch wire.SignalName(number) {
	case "STOP", "TSTP", "TTIN", "TTOU":
		s.stopped = now
	case "CONT":
		s.stopped = 0
	case "USR1", "USR2", "CHLD", "URG", "WINCH", "PIPE":
	case "KILL":
		s.ended, s.stopped = now, 0
	default:
		if !s.stoppedAt(now) {
			s.ended = now
		}
	}
}
